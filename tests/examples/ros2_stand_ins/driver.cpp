// What a controller manager does with a hardware interface and a controller, in its order: init, configure, activate, then
// read, update, write until one of them says that it is over. Words: NAME=VALUE, parameters of both; joints=a,b their joints;
// rate=HZ; order=wrong lends interfaces in another order; busy=N makes the interfaces of the first joint refuse access from
// cycle N on; cycles=N ends it. Prints each answer.
#include <cstdlib>

#include "controller_interface/controller_interface.hpp"
#include "hardware_interface/system_interface.hpp"
#include "pluginlib/class_list_macros.hpp"

using rclcpp_lifecycle::node_interfaces::LifecycleNodeInterface;
using Answer = LifecycleNodeInterface::CallbackReturn;

static int told(const char * what, Answer answer)
{
  const bool good = answer == Answer::SUCCESS;
  std::printf("%s: %s\n", what, good ? "SUCCESS" : answer == Answer::FAILURE ? "FAILURE" : "ERROR");
  std::fflush(stdout);
  return good;
}

int main(int count, char ** words)
{
  std::map<std::string, std::string> given{{"joints", "left_motor,right_motor"}, {"rate", "1000"}};
  for (int k = 1; k < count; k++) {
    const std::string word = words[k];
    given[word.substr(0, word.find('='))] = word.substr(word.find('=') + 1);
  }
  std::vector<std::string> joints;
  for (std::string rest = given["joints"] + ","; !rest.empty(); rest.erase(0, rest.find(',') + 1)) {
    joints.push_back(rest.substr(0, rest.find(',')));
  }
  hardware_interface::HardwareComponentInterfaceParams params;
  params.hardware_info.name = "five_bar";
  for (const auto & name : joints) {
    params.hardware_info.joints.push_back({name, {{given.count("effort") ? given["effort"] : "effort"}}, {{"position"}}});
  }
  for (const auto & [name, value] : given) {
    params.hardware_info.hardware_parameters[name] = value;
  }
  const auto system = pluginlib::plugins<hardware_interface::SystemInterface>().at("gough_law::UdpSystem")();
  const auto controller = pluginlib::plugins<controller_interface::ControllerInterface>().at("gough_law::LawController")();
  const rclcpp_lifecycle::State before;
  if (!told("system on_init", system->on_init(params))) {
    return 1;
  }
  const auto states = system->on_export_state_interfaces();
  const auto commands = system->on_export_command_interfaces();
  const std::int64_t hold = std::atoi(given.count("hold") ? given["hold"].c_str() : "5");
  const std::map<std::string, rclcpp::Parameter> parameters{
    {"joints", rclcpp::Parameter(joints)}, {"hold", rclcpp::Parameter(hold)}};
  controller->begin(
    std::make_shared<rclcpp_lifecycle::LifecycleNode>("law_controller", parameters),
    static_cast<unsigned>(std::atoi(given["rate"].c_str())));
  if (!told("system on_configure", system->on_configure(before)) ||
      !told("system on_activate", system->on_activate(before)) ||
      !told("controller on_init", controller->on_init()) ||
      !told("controller on_configure", controller->on_configure(before))) {
    return 1;
  }
  std::vector<hardware_interface::LoanedStateInterface> lent_states;
  std::vector<hardware_interface::LoanedCommandInterface> lent_commands;
  auto wanted_states = controller->state_interface_configuration().names;
  if (given["order"] == "wrong") {
    std::swap(wanted_states.front(), wanted_states.back());
  }
  for (const auto & name : wanted_states) {
    lent_states.emplace_back(system->get_state_interface_handle(name));
  }
  for (const auto & name : controller->command_interface_configuration().names) {
    lent_commands.emplace_back(system->get_command_interface_handle(name));
  }
  controller->assign_interfaces(std::move(lent_commands), std::move(lent_states));
  if (!told("controller on_activate", controller->on_activate(before))) {
    return 1;
  }
  const rclcpp::Time time(0);
  const auto period = rclcpp::Duration::from_seconds(1.0 / std::atof(given["rate"].c_str()));
  const int cycles = given.count("cycles") ? std::atoi(given["cycles"].c_str()) : 100000;
  const int busy = given.count("busy") ? std::atoi(given["busy"].c_str()) : cycles;
  const char * end = "enough cycles";
  int k = 0;
  for (; k < cycles; k++) {
    const auto read = system->read(time, period);
    if (read != hardware_interface::return_type::OK) {
      end = read == hardware_interface::return_type::DEACTIVATE ? "read DEACTIVATE" : "read ERROR";
      break;
    }
    system->get_state_interface_handle(joints[0] + "/position")->busy = k >= busy;
    const auto update = controller->update(time, period);
    system->get_state_interface_handle(joints[0] + "/position")->busy = false;
    if (system->write(time, period) != hardware_interface::return_type::OK) {
      end = "write ERROR";
      break;
    }
    if (update != controller_interface::return_type::OK) {
      end = "update ERROR";
      break;
    }
  }
  std::printf("%s after %d cycles\n", end, k);
  told("controller on_deactivate", controller->on_deactivate(before));
  if (std::string(end) == "read ERROR") {
    return told("system on_error", system->on_error(before)) ? 0 : 1;
  }
  return told("system on_deactivate", system->on_deactivate(before)) && told("system on_cleanup", system->on_cleanup(before)) ? 0 : 1;
}
