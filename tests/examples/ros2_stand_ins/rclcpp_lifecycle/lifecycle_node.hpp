// Stand-in: a node that keeps parameters; `given` are those of the command line or a file.
#ifndef STAND_IN_LIFECYCLE_NODE_HPP_
#define STAND_IN_LIFECYCLE_NODE_HPP_

#include "rclcpp/rclcpp.hpp"
#include "rclcpp_lifecycle/node_interfaces/lifecycle_node_interface.hpp"

namespace rclcpp_lifecycle
{
class LifecycleNode
{
public:
  LifecycleNode(std::string name, std::map<std::string, rclcpp::Parameter> given)
  : name_(std::move(name)), given_(std::move(given))
  {
  }
  rclcpp::Logger get_logger() const { return rclcpp::Logger(name_); }
  template <typename T>
  void declare_parameter(const std::string & name, const T & value)
  {
    const auto found = given_.find(name);
    declared_[name] = found == given_.end() ? rclcpp::Parameter(value) : found->second;
  }
  rclcpp::Parameter get_parameter(const std::string & name) const { return declared_.at(name); }

private:
  std::string name_;
  std::map<std::string, rclcpp::Parameter> given_, declared_;
};
}  // namespace rclcpp_lifecycle

#endif
