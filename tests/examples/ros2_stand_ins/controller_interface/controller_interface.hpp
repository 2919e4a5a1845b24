// Stand-in: what a controller asks for and is lent, its node and its rate.
#ifndef STAND_IN_CONTROLLER_INTERFACE_HPP_
#define STAND_IN_CONTROLLER_INTERFACE_HPP_

#include "hardware_interface/handle.hpp"
#include "rclcpp_lifecycle/lifecycle_node.hpp"

namespace controller_interface
{
using CallbackReturn = rclcpp_lifecycle::node_interfaces::LifecycleNodeInterface::CallbackReturn;

enum class return_type : std::uint8_t { OK = 0, ERROR = 1 };

enum class interface_configuration_type : std::uint8_t { ALL = 0, INDIVIDUAL = 1, NONE = 2 };

struct InterfaceConfiguration
{
  interface_configuration_type type = interface_configuration_type::NONE;
  std::vector<std::string> names = {};
};

class ControllerInterface : public rclcpp_lifecycle::node_interfaces::LifecycleNodeInterface
{
public:
  virtual InterfaceConfiguration command_interface_configuration() const = 0;
  virtual InterfaceConfiguration state_interface_configuration() const = 0;
  virtual CallbackReturn on_init() = 0;
  virtual return_type update(const rclcpp::Time & time, const rclcpp::Duration & period) = 0;
  virtual void assign_interfaces(
    std::vector<hardware_interface::LoanedCommandInterface> && commands,
    std::vector<hardware_interface::LoanedStateInterface> && states)
  {
    command_interfaces_ = std::move(commands);
    state_interfaces_ = std::move(states);
  }
  std::shared_ptr<rclcpp_lifecycle::LifecycleNode> get_node() { return node_; }
  std::shared_ptr<const rclcpp_lifecycle::LifecycleNode> get_node() const { return node_; }
  unsigned int get_update_rate() const { return rate_; }
  template <typename ParameterT>
  void auto_declare(const std::string & name, const ParameterT & value)
  {
    get_node()->declare_parameter<ParameterT>(name, value);
  }
  // Not of ROS: what its manager does before on_init.
  void begin(std::shared_ptr<rclcpp_lifecycle::LifecycleNode> node, unsigned int rate)
  {
    node_ = std::move(node);
    rate_ = rate;
  }

protected:
  std::vector<hardware_interface::LoanedCommandInterface> command_interfaces_;
  std::vector<hardware_interface::LoanedStateInterface> state_interfaces_;

private:
  std::shared_ptr<rclcpp_lifecycle::LifecycleNode> node_;
  unsigned int rate_ = 0;
};
}  // namespace controller_interface

#endif
