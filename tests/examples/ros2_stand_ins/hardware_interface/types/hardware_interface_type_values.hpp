// Stand-in.
#ifndef STAND_IN_TYPE_VALUES_HPP_
#define STAND_IN_TYPE_VALUES_HPP_

namespace hardware_interface
{
constexpr char HW_IF_POSITION[] = "position";
constexpr char HW_IF_VELOCITY[] = "velocity";
constexpr char HW_IF_EFFORT[] = "effort";
}  // namespace hardware_interface

#endif
