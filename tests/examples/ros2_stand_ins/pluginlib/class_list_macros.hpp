// Stand-in: plugins by the names of their types, of one program.
#ifndef STAND_IN_CLASS_LIST_MACROS_HPP_
#define STAND_IN_CLASS_LIST_MACROS_HPP_

#include <map>
#include <memory>
#include <string>
#include <type_traits>

namespace pluginlib
{
template <typename Base>
std::map<std::string, std::shared_ptr<Base> (*)()> & plugins()
{
  static std::map<std::string, std::shared_ptr<Base> (*)()> all;
  return all;
}
}  // namespace pluginlib

#define PLUGINLIB_EXPORT_CLASS(Type, Base)                                                            \
  static_assert(std::is_base_of_v<Base, Type> && !std::is_abstract_v<Type>, "a plugin is one of its base"); \
  [[maybe_unused]] static const bool plugin_is_known =                                                \
    pluginlib::plugins<Base>().emplace(#Type, []() -> std::shared_ptr<Base> { return std::make_shared<Type>(); }).second;

#endif
