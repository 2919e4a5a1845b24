# In the place of ROS's packages: -DCMAKE_PROJECT_INCLUDE=…/stand_ins.cmake. Every package is found; a target of its name brings
# the stand-ins' headers.
set(STAND_INS "${CMAKE_CURRENT_LIST_DIR}")

macro(find_package name)
  if(NOT TARGET ${name}::${name})
    add_library(${name}::${name} INTERFACE IMPORTED)
    target_include_directories(${name}::${name} INTERFACE "${STAND_INS}")
  endif()
endmacro()

function(pluginlib_export_plugin_description_file base file)
  if(NOT EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${file}")
    message(FATAL_ERROR "no ${file}")
  endif()
endfunction()

function(ament_package)
endfunction()
