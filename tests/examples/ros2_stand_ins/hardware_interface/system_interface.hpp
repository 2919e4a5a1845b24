// Stand-in: what a system is told of itself, and its interfaces by name.
#ifndef STAND_IN_SYSTEM_INTERFACE_HPP_
#define STAND_IN_SYSTEM_INTERFACE_HPP_

#include "hardware_interface/handle.hpp"
#include "rclcpp/rclcpp.hpp"
#include "rclcpp_lifecycle/node_interfaces/lifecycle_node_interface.hpp"

namespace hardware_interface
{
using CallbackReturn = rclcpp_lifecycle::node_interfaces::LifecycleNodeInterface::CallbackReturn;

enum class return_type : std::uint8_t { OK = 0, ERROR = 1, DEACTIVATE = 2 };

struct InterfaceInfo
{
  std::string name;
};

struct ComponentInfo
{
  std::string name;
  std::vector<InterfaceInfo> command_interfaces;
  std::vector<InterfaceInfo> state_interfaces;
};

struct HardwareInfo
{
  std::string name;
  std::map<std::string, std::string> hardware_parameters;
  std::vector<ComponentInfo> joints;
};

struct HardwareComponentInterfaceParams
{
  HardwareInfo hardware_info;
};

class HardwareComponentInterface : public rclcpp_lifecycle::node_interfaces::LifecycleNodeInterface
{
public:
  HardwareComponentInterface() = default;
  HardwareComponentInterface(const HardwareComponentInterface &) = delete;
  HardwareComponentInterface(HardwareComponentInterface &&) = delete;

  virtual CallbackReturn on_init(const HardwareComponentInterfaceParams & params)
  {
    info_ = params.hardware_info;
    return CallbackReturn::SUCCESS;
  }
  virtual std::vector<StateInterface::ConstSharedPtr> on_export_state_interfaces()
  {
    std::vector<StateInterface::ConstSharedPtr> all;
    for (const auto & joint : info_.joints) {
      for (const auto & x : joint.state_interfaces) {
        states_[joint.name + "/" + x.name] = std::make_shared<StateInterface>(joint.name, x.name);
        all.push_back(states_[joint.name + "/" + x.name]);
      }
    }
    return all;
  }
  virtual std::vector<CommandInterface::SharedPtr> on_export_command_interfaces()
  {
    std::vector<CommandInterface::SharedPtr> all;
    for (const auto & joint : info_.joints) {
      for (const auto & x : joint.command_interfaces) {
        commands_[joint.name + "/" + x.name] = std::make_shared<CommandInterface>(joint.name, x.name);
        all.push_back(commands_[joint.name + "/" + x.name]);
      }
    }
    return all;
  }
  virtual return_type read(const rclcpp::Time & time, const rclcpp::Duration & period) = 0;
  virtual return_type write(const rclcpp::Time &, const rclcpp::Duration &) { return return_type::OK; }
  virtual const StateInterface::SharedPtr & get_state_interface_handle(const std::string & name) const
  {
    return states_.at(name);
  }
  virtual const CommandInterface::SharedPtr & get_command_interface_handle(const std::string & name) const
  {
    return commands_.at(name);
  }
  template <typename T>
  bool set_state(const StateInterface::SharedPtr & handle, const T & value, bool wait)
  {
    return handle->set_value(value, wait);
  }
  template <typename T>
  bool get_command(const CommandInterface::SharedPtr & handle, T & value, bool wait) const
  {
    return handle->get_value(value, wait);
  }
  virtual rclcpp::Logger get_logger() const { return rclcpp::Logger(info_.name); }

protected:
  HardwareInfo info_;

private:
  std::map<std::string, StateInterface::SharedPtr> states_;
  std::map<std::string, CommandInterface::SharedPtr> commands_;
};

class SystemInterface : public HardwareComponentInterface
{
public:
  return_type write(const rclcpp::Time & time, const rclcpp::Duration & period) override = 0;
};
}  // namespace hardware_interface

#endif
