#include "gough_law/udp_system.hpp"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>

#include "hardware_interface/types/hardware_interface_type_values.hpp"
#include "pluginlib/class_list_macros.hpp"
#include "rclcpp/rclcpp.hpp"

namespace gough_law
{
using hardware_interface::CallbackReturn;
using hardware_interface::return_type;

namespace
{
bool has_interface(const std::vector<hardware_interface::InterfaceInfo> & interfaces, const char * name)
{
  for (const auto & x : interfaces) {
    if (x.name == name) {
      return true;
    }
  }
  return false;
}

std::uint64_t now()
{
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1000000000u + static_cast<std::uint64_t>(t.tv_nsec);
}
}  // namespace

UdpSystem::~UdpSystem() { leave(); }

CallbackReturn UdpSystem::on_init(const hardware_interface::HardwareComponentInterfaceParams & params)
{
  if (SystemInterface::on_init(params) != CallbackReturn::SUCCESS) {
    return CallbackReturn::ERROR;
  }
  if (info_.joints.size() != LAW_COMMAND_SIZE) {
    RCLCPP_ERROR(
      get_logger(), "%zu joints, the law has %d drives; list them in the order of law.h", info_.joints.size(),
      static_cast<int>(LAW_COMMAND_SIZE));
    return CallbackReturn::ERROR;
  }
  for (const auto & joint : info_.joints) {
    if (
      !has_interface(joint.state_interfaces, hardware_interface::HW_IF_POSITION) ||
      !has_interface(joint.command_interfaces, hardware_interface::HW_IF_EFFORT)) {
      RCLCPP_ERROR(get_logger(), "joint %s: it needs the state position and the command effort", joint.name.c_str());
      return CallbackReturn::ERROR;
    }
  }
  const auto address = info_.hardware_parameters.find("address");
  address_ = address == info_.hardware_parameters.end() ? address_ : address->second;
  const bool good = number("port", 0.0, 65535.0, port_) && number("wait", 1e-6, 10.0, wait_) &&
                    number("hold", 0.0, 1e6, hold_) && number("patience", 1e-3, 3600.0, patience_);
  return good ? CallbackReturn::SUCCESS : CallbackReturn::ERROR;
}

CallbackReturn UdpSystem::on_configure(const rclcpp_lifecycle::State &)
{
  positions_.clear();
  efforts_.clear();
  for (const auto & joint : info_.joints) {
    positions_.push_back(get_state_interface_handle(joint.name + "/" + hardware_interface::HW_IF_POSITION));
    efforts_.push_back(get_command_interface_handle(joint.name + "/" + hardware_interface::HW_IF_EFFORT));
  }
  leave();
  channel_ = socket(AF_INET, SOCK_DGRAM, 0);
  sockaddr_in here{};
  socklen_t size = sizeof here;
  here.sin_family = AF_INET;
  here.sin_port = htons(static_cast<std::uint16_t>(port_));
  if (
    channel_ < 0 || inet_pton(AF_INET, address_.c_str(), &here.sin_addr) != 1 ||
    bind(channel_, reinterpret_cast<sockaddr *>(&here), sizeof here) != 0 ||
    getsockname(channel_, reinterpret_cast<sockaddr *>(&here), &size) != 0) {
    RCLCPP_ERROR(get_logger(), "no socket at %s, port %g", address_.c_str(), port_);
    leave();
    return CallbackReturn::FAILURE;
  }
  RCLCPP_INFO(get_logger(), "listening at %s, port %d", address_.c_str(), static_cast<int>(ntohs(here.sin_port)));
  return CallbackReturn::SUCCESS;
}

CallbackReturn UdpSystem::on_cleanup(const rclcpp_lifecycle::State &)
{
  leave();
  return CallbackReturn::SUCCESS;
}

CallbackReturn UdpSystem::on_activate(const rclcpp_lifecycle::State &)
{
  any_ = ended_ = fresh_ = false;
  missing_ = 0;
  pending_ = set_wait(patience_) && receive();
  active_ = pending_ && set_wait(wait_);
  if (!active_) {
    RCLCPP_ERROR(get_logger(), "no robot sent its readings within %g s", patience_);
  }
  return active_ ? CallbackReturn::SUCCESS : CallbackReturn::FAILURE;
}

CallbackReturn UdpSystem::on_deactivate(const rclcpp_lifecycle::State &)
{
  active_ = false;
  RCLCPP_INFO(
    get_logger(), "%llu datagrams refused, %llu readings late", static_cast<unsigned long long>(refused_),
    static_cast<unsigned long long>(late_));
  return CallbackReturn::SUCCESS;
}

CallbackReturn UdpSystem::on_error(const rclcpp_lifecycle::State &)
{
  leave();
  return CallbackReturn::SUCCESS;  // unconfigured again
}

return_type UdpSystem::read(const rclcpp::Time &, const rclcpp::Duration &)
{
  if (!active_) {
    return return_type::OK;
  }
  fresh_ = pending_ || receive();
  pending_ = false;
  if (ended_) {
    RCLCPP_INFO(get_logger(), "the robot has ended the rehearsal");
    return return_type::DEACTIVATE;
  }
  missing_ = fresh_ ? 0 : missing_ + 1;
  if (missing_ > hold_) {
    RCLCPP_ERROR(get_logger(), "no reading in %d cycles after number %llu", missing_,
      static_cast<unsigned long long>(reading_.sequence));
    return return_type::ERROR;
  }
  if (fresh_ && (reading_.flags & HIL_STOPPED)) {
    RCLCPP_ERROR(get_logger(), "the robot has stopped, before number %llu",
      static_cast<unsigned long long>(reading_.sequence));
    return return_type::ERROR;
  }
  for (std::size_t k = 0; fresh_ && k < positions_.size(); k++) {
    fresh_ = set_state(positions_[k], reading_.values[k], false);  // not seen by the controller: nothing to answer
  }
  return return_type::OK;
}

return_type UdpSystem::write(const rclcpp::Time &, const rclcpp::Duration &)
{
  if (!active_ || !fresh_) {
    return return_type::OK;
  }
  for (std::size_t k = 0; k < efforts_.size(); k++) {
    double effort = 0.0;
    if (get_command(efforts_[k], effort, false)) {
      commands_[k] = std::isfinite(effort) ? effort : 0.0;  // NaN where no controller commands
    }
  }
  answer(reading_, 0u);
  return return_type::OK;
}

bool UdpSystem::number(const char * name, double least, double most, double & value) const
{
  const auto found = info_.hardware_parameters.find(name);
  if (found == info_.hardware_parameters.end()) {
    return true;
  }
  char * end = nullptr;
  const double x = std::strtod(found->second.c_str(), &end);
  if (end == found->second.c_str() || *end != '\0' || !(x >= least && x <= most)) {
    RCLCPP_ERROR(get_logger(), "%s: '%s'; give a number from %g to %g", name, found->second.c_str(), least, most);
    return false;
  }
  value = x;
  return true;
}

bool UdpSystem::receive()
{
  bool found = false;
  for (int n = 0; n < 100; n++) {
    std::uint8_t bytes[HIL_BYTES + 1];
    hil_packet packet{};
    sockaddr_in from{};
    socklen_t size = sizeof from;
    const ssize_t got = recvfrom(
      channel_, bytes, sizeof bytes, found ? MSG_DONTWAIT : 0, reinterpret_cast<sockaddr *>(&from), &size);
    if (got < 0) {
      break;
    }
    if (hil_unpack(&packet, bytes, static_cast<std::size_t>(got), HIL_READING, LAW_ENCODERS_SIZE) == 0) {
      refused_++;
      continue;
    }
    robot_ = from;
    if (packet.flags & HIL_END) {
      ended_ = true;
      break;
    }
    const bool old = any_ && packet.sequence <= reading_.sequence;
    if (old || found) {  // of two readings in a cycle the older one
      late_++;
      answer(old ? packet : reading_, HIL_LATE);
    }
    if (!old) {
      reading_ = packet;
      found = any_ = true;
    }
  }
  return found;
}

void UdpSystem::answer(const hil_packet & reading, unsigned more)
{
  hil_packet command{};
  command.flags = static_cast<std::uint16_t>(HIL_COMMAND | more);
  command.count = LAW_COMMAND_SIZE;
  command.sequence = reading.sequence;
  command.sent = now();
  command.echo = reading.sent;
  for (std::size_t k = 0; k < LAW_COMMAND_SIZE; k++) {
    command.values[k] = commands_[k];
  }
  std::uint8_t bytes[HIL_BYTES];
  const std::size_t size = hil_pack(bytes, &command);
  (void)sendto(channel_, bytes, size, MSG_DONTWAIT, reinterpret_cast<const sockaddr *>(&robot_), sizeof robot_);
}

bool UdpSystem::set_wait(double seconds)
{
  timeval wait{};
  wait.tv_sec = static_cast<time_t>(seconds);
  wait.tv_usec = static_cast<suseconds_t>((seconds - static_cast<double>(wait.tv_sec)) * 1e6);
  return setsockopt(channel_, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait) == 0;
}

void UdpSystem::leave()
{
  active_ = false;
  if (channel_ >= 0) {
    close(channel_);
  }
  channel_ = -1;
}

}  // namespace gough_law

PLUGINLIB_EXPORT_CLASS(gough_law::UdpSystem, hardware_interface::SystemInterface)
