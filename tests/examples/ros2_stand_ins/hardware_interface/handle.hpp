// Stand-in: a number with a name, NaN until somebody sets it; what is lent to controllers. `busy` refuses access, as a lock that
// another thread holds does.
#ifndef STAND_IN_HANDLE_HPP_
#define STAND_IN_HANDLE_HPP_

#include <limits>
#include <memory>
#include <optional>
#include <string>

namespace hardware_interface
{
class Handle
{
public:
  Handle(std::string prefix, const std::string & kind) : prefix_(std::move(prefix)), name_(prefix_ + "/" + kind) {}
  const std::string & get_name() const { return name_; }
  const std::string & get_prefix_name() const { return prefix_; }
  template <typename T>
  [[nodiscard]] bool set_value(const T & value, bool)
  {
    value_ = busy ? value_ : value;
    return !busy;
  }
  template <typename T>
  [[nodiscard]] bool get_value(T & value, bool) const
  {
    value = busy ? value : value_;
    return !busy;
  }
  bool busy = false;

private:
  std::string prefix_, name_;
  double value_ = std::numeric_limits<double>::quiet_NaN();
};

class StateInterface : public Handle
{
public:
  using Handle::Handle;
  using SharedPtr = std::shared_ptr<StateInterface>;
  using ConstSharedPtr = std::shared_ptr<const StateInterface>;
};

class CommandInterface : public Handle
{
public:
  using Handle::Handle;
  using SharedPtr = std::shared_ptr<CommandInterface>;
};

class LoanedStateInterface
{
public:
  explicit LoanedStateInterface(StateInterface::ConstSharedPtr of) : of_(std::move(of)) {}
  LoanedStateInterface(const LoanedStateInterface &) = delete;
  LoanedStateInterface(LoanedStateInterface &&) = default;
  const std::string & get_name() const { return of_->get_name(); }
  const std::string & get_prefix_name() const { return of_->get_prefix_name(); }
  template <typename T = double>
  [[nodiscard]] std::optional<T> get_optional(unsigned = 10) const
  {
    T value{};
    return of_->get_value(value, false) ? std::optional<T>(value) : std::nullopt;
  }

private:
  StateInterface::ConstSharedPtr of_;
};

class LoanedCommandInterface
{
public:
  explicit LoanedCommandInterface(CommandInterface::SharedPtr of) : of_(std::move(of)) {}
  LoanedCommandInterface(const LoanedCommandInterface &) = delete;
  LoanedCommandInterface(LoanedCommandInterface &&) = default;
  const std::string & get_name() const { return of_->get_name(); }
  const std::string & get_prefix_name() const { return of_->get_prefix_name(); }
  template <typename T>
  [[nodiscard]] bool set_value(const T & value, unsigned = 10)
  {
    return of_->set_value(value, false);
  }

private:
  CommandInterface::SharedPtr of_;
};
}  // namespace hardware_interface

#endif
