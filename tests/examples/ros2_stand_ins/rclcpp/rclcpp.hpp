// Stand-in: time, loggers, parameters.
#ifndef STAND_IN_RCLCPP_HPP_
#define STAND_IN_RCLCPP_HPP_

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace rclcpp
{
class Time
{
public:
  explicit Time(std::int64_t nanoseconds = 0) : ns_(nanoseconds) {}
  std::int64_t nanoseconds() const { return ns_; }

private:
  std::int64_t ns_;
};

class Duration
{
public:
  static Duration from_seconds(double seconds) { return Duration(seconds); }
  double seconds() const { return seconds_; }

private:
  explicit Duration(double seconds) : seconds_(seconds) {}
  double seconds_;
};

class Logger
{
public:
  explicit Logger(std::string name) : name_(std::move(name)) {}
  __attribute__((format(printf, 3, 4))) void tell(const char * level, const char * form, ...) const
  {
    std::va_list words;
    va_start(words, form);
    std::printf("[%s] %s: ", level, name_.c_str());
    std::vprintf(form, words);
    std::printf("\n");
    std::fflush(stdout);
    va_end(words);
  }

private:
  std::string name_;
};

class Parameter
{
public:
  Parameter() = default;
  explicit Parameter(std::int64_t value) : number_(value) {}
  explicit Parameter(std::vector<std::string> value) : names_(std::move(value)) {}
  std::int64_t as_int() const { return number_; }
  std::vector<std::string> as_string_array() const { return names_; }

private:
  std::int64_t number_ = 0;
  std::vector<std::string> names_;
};
}  // namespace rclcpp

#define RCLCPP_INFO(logger, ...) (logger).tell("INFO", __VA_ARGS__)
#define RCLCPP_ERROR(logger, ...) (logger).tell("ERROR", __VA_ARGS__)

#endif
