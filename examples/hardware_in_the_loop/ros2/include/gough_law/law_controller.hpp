// A ros2_control controller around an exported law: positions of joints in, efforts out, one step of the law a cycle.
//
// Parameters: joints, the drives in the order of law.h; hold, how many cycles in a row the law may flag, or an interface be
// out of reach, before the controller gives up with efforts of 0.
#ifndef GOUGH_LAW__LAW_CONTROLLER_HPP_
#define GOUGH_LAW__LAW_CONTROLLER_HPP_

#include <cstdint>
#include <string>
#include <vector>

#include "controller_interface/controller_interface.hpp"
#include "law.h"

namespace gough_law
{

class LawController : public controller_interface::ControllerInterface
{
public:
  controller_interface::CallbackReturn on_init() override;
  controller_interface::InterfaceConfiguration command_interface_configuration() const override;
  controller_interface::InterfaceConfiguration state_interface_configuration() const override;
  controller_interface::CallbackReturn on_configure(const rclcpp_lifecycle::State & before) override;
  controller_interface::CallbackReturn on_activate(const rclcpp_lifecycle::State & before) override;
  controller_interface::CallbackReturn on_deactivate(const rclcpp_lifecycle::State & before) override;
  controller_interface::return_type update(const rclcpp::Time & time, const rclcpp::Duration & period) override;

private:
  bool write_efforts(const double * efforts);

  std::vector<std::string> joints_;
  law_state law_{};
  double encoders_[LAW_ENCODERS_SIZE] = {};
  double efforts_[LAW_COMMAND_SIZE] = {};
  std::int64_t hold_ = 5;
  std::int64_t bad_in_a_row_ = 0;
  std::uint64_t cycles_ = 0, bad_ = 0, slow_ = 0;
};

}  // namespace gough_law

#endif  // GOUGH_LAW__LAW_CONTROLLER_HPP_
