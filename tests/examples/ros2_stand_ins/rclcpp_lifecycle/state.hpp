// Stand-in.
#ifndef STAND_IN_STATE_HPP_
#define STAND_IN_STATE_HPP_

namespace rclcpp_lifecycle
{
class State
{
};
}  // namespace rclcpp_lifecycle

#endif
