#include "gough_law/law_controller.hpp"

#include <cmath>

#include "hardware_interface/types/hardware_interface_type_values.hpp"
#include "pluginlib/class_list_macros.hpp"
#include "rclcpp/rclcpp.hpp"

namespace gough_law
{
using controller_interface::CallbackReturn;
using controller_interface::InterfaceConfiguration;
using controller_interface::return_type;

static_assert(
  static_cast<int>(LAW_ENCODERS_SIZE) == static_cast<int>(LAW_COMMAND_SIZE),
  "one encoder a drive; a law with other sensors asks for their interfaces in state_interface_configuration");

namespace
{
InterfaceConfiguration interfaces_of(const std::vector<std::string> & joints, const char * kind)
{
  InterfaceConfiguration found{controller_interface::interface_configuration_type::INDIVIDUAL, {}};
  for (const auto & joint : joints) {
    found.names.push_back(joint + "/" + kind);
  }
  return found;
}
}  // namespace

CallbackReturn LawController::on_init()
{
  auto_declare<std::vector<std::string>>("joints", std::vector<std::string>());
  auto_declare<std::int64_t>("hold", hold_);
  return CallbackReturn::SUCCESS;
}

InterfaceConfiguration LawController::command_interface_configuration() const
{
  return interfaces_of(joints_, hardware_interface::HW_IF_EFFORT);
}

InterfaceConfiguration LawController::state_interface_configuration() const
{
  return interfaces_of(joints_, hardware_interface::HW_IF_POSITION);
}

CallbackReturn LawController::on_configure(const rclcpp_lifecycle::State &)
{
  joints_ = get_node()->get_parameter("joints").as_string_array();
  hold_ = get_node()->get_parameter("hold").as_int();
  const auto logger = get_node()->get_logger();
  if (joints_.size() != LAW_COMMAND_SIZE) {
    RCLCPP_ERROR(
      logger, "joints: %zu names, the law has %d drives; name them in the order of law.h", joints_.size(),
      static_cast<int>(LAW_COMMAND_SIZE));
    return CallbackReturn::FAILURE;
  }
  if (hold_ < 0) {
    RCLCPP_ERROR(logger, "hold: %ld; give 0 or more cycles", static_cast<long>(hold_));
    return CallbackReturn::FAILURE;
  }
  const double rate = get_update_rate();  // a law on another clock would be another law
  if (!(std::abs(rate * LAW_PERIOD - 1.0) < 1e-6)) {
    RCLCPP_ERROR(
      logger, "update_rate: %g Hz, the law was exported for %g Hz; set it in the parameters, or export the law for that period",
      rate, 1.0 / LAW_PERIOD);
    return CallbackReturn::FAILURE;
  }
  return CallbackReturn::SUCCESS;
}

CallbackReturn LawController::on_activate(const rclcpp_lifecycle::State &)
{
  const auto logger = get_node()->get_logger();
  if (state_interfaces_.size() != LAW_ENCODERS_SIZE || command_interfaces_.size() != LAW_COMMAND_SIZE) {
    RCLCPP_ERROR(logger, "%zu positions and %zu efforts were lent", state_interfaces_.size(), command_interfaces_.size());
    return CallbackReturn::FAILURE;
  }
  for (std::size_t k = 0; k < joints_.size(); k++) {
    if (state_interfaces_[k].get_prefix_name() != joints_[k] || command_interfaces_[k].get_prefix_name() != joints_[k]) {
      RCLCPP_ERROR(
        logger, "interface %zu is %s and %s, not %s", k, state_interfaces_[k].get_name().c_str(),
        command_interfaces_[k].get_name().c_str(), joints_[k].c_str());
      return CallbackReturn::FAILURE;
    }
  }
  law_init(&law_);
  for (double & x : efforts_) {
    x = 0.0;
  }
  bad_in_a_row_ = 0;
  cycles_ = bad_ = slow_ = 0;
  return write_efforts(efforts_) ? CallbackReturn::SUCCESS : CallbackReturn::FAILURE;
}

CallbackReturn LawController::on_deactivate(const rclcpp_lifecycle::State &)
{
  const double none[LAW_COMMAND_SIZE] = {};
  const bool written = write_efforts(none);
  RCLCPP_INFO(
    get_node()->get_logger(), "%llu cycles, %llu bad, %llu begun more than half a period late",
    static_cast<unsigned long long>(cycles_), static_cast<unsigned long long>(bad_),
    static_cast<unsigned long long>(slow_));
  return written ? CallbackReturn::SUCCESS : CallbackReturn::ERROR;
}

return_type LawController::update(const rclcpp::Time &, const rclcpp::Duration & period)
{
  bool good = true;
  for (std::size_t k = 0; k < LAW_ENCODERS_SIZE; k++) {
    const auto reading = state_interfaces_[k].get_optional();
    good = good && reading.has_value();
    encoders_[k] = reading.value_or(encoders_[k]);
  }
  slow_ += cycles_ > 0 && period.seconds() > 1.5 * LAW_PERIOD;
  cycles_++;
  const std::uint64_t status = law_step(&law_, encoders_, efforts_);  // a flagged step repeats the command before
  good = write_efforts(efforts_) && good && status == 0;
  bad_ += !good;
  bad_in_a_row_ = good ? 0 : bad_in_a_row_ + 1;
  if (bad_in_a_row_ <= hold_) {
    return return_type::OK;
  }
  const double none[LAW_COMMAND_SIZE] = {};
  const bool stopped = write_efforts(none);
  RCLCPP_ERROR(
    get_node()->get_logger(), "%ld bad cycles in a row, status of the law 0x%llx (bits: law.h): it stops%s",
    static_cast<long>(bad_in_a_row_), static_cast<unsigned long long>(status),
    stopped ? "" : ", but its efforts of 0 could not be written");
  return return_type::ERROR;
}

bool LawController::write_efforts(const double * efforts)
{
  bool all = true;
  for (auto & interface : command_interfaces_) {
    all = interface.set_value(*efforts++) && all;
  }
  return all;
}

}  // namespace gough_law

PLUGINLIB_EXPORT_CLASS(gough_law::LawController, controller_interface::ControllerInterface)
