// A ros2_control hardware interface to whatever speaks wire.h: the simulated robot of robot_side.py, or a drive's computer.
//
// The robot sends its readings, one datagram a sample; they become positions of the joints. The efforts go back under the number
// of the reading they were computed from. A cycle without a reading sends nothing; after more than `hold` of them in a row
// reading fails, and the robot's own watch stops it.
//
// Parameters (<param> of <hardware>): port (0: any, it is logged), address (127.0.0.1), wait (s; how long a cycle waits for its
// reading, 0.0005), hold (cycles, 5), patience (s; how long activation waits for the first reading, 5). Joints stand in the order of law.h.
#ifndef GOUGH_LAW__UDP_SYSTEM_HPP_
#define GOUGH_LAW__UDP_SYSTEM_HPP_

#include <netinet/in.h>

#include <cstdint>
#include <string>
#include <vector>

#include "hardware_interface/system_interface.hpp"
#include "law.h"
#include "wire.h"

namespace gough_law
{

class UdpSystem : public hardware_interface::SystemInterface
{
public:
  ~UdpSystem() override;
  hardware_interface::CallbackReturn on_init(
    const hardware_interface::HardwareComponentInterfaceParams & params) override;
  hardware_interface::CallbackReturn on_configure(const rclcpp_lifecycle::State & before) override;
  hardware_interface::CallbackReturn on_cleanup(const rclcpp_lifecycle::State & before) override;
  hardware_interface::CallbackReturn on_activate(const rclcpp_lifecycle::State & before) override;
  hardware_interface::CallbackReturn on_deactivate(const rclcpp_lifecycle::State & before) override;
  hardware_interface::CallbackReturn on_error(const rclcpp_lifecycle::State & before) override;
  hardware_interface::return_type read(const rclcpp::Time & time, const rclcpp::Duration & period) override;
  hardware_interface::return_type write(const rclcpp::Time & time, const rclcpp::Duration & period) override;

private:
  bool number(const char * name, double least, double most, double & value) const;
  bool receive();                                         // the newest reading; older ones are answered as late
  void answer(const hil_packet & reading, unsigned more);  // with the efforts, flags added
  bool set_wait(double seconds);
  void leave();

  std::string address_ = "127.0.0.1";
  double port_ = 0.0, wait_ = 5e-4, hold_ = 5.0, patience_ = 5.0;
  std::vector<hardware_interface::StateInterface::SharedPtr> positions_;
  std::vector<hardware_interface::CommandInterface::SharedPtr> efforts_;
  int channel_ = -1;
  sockaddr_in robot_{};
  hil_packet reading_{};
  double commands_[LAW_COMMAND_SIZE] = {};
  bool active_ = false, pending_ = false, fresh_ = false, any_ = false, ended_ = false;
  int missing_ = 0;
  std::uint64_t refused_ = 0, late_ = 0;
};

}  // namespace gough_law

#endif  // GOUGH_LAW__UDP_SYSTEM_HPP_
