/* What the functions of both versions begin with: the instance, whether they may be called now, pointers that are none. */
#ifndef fmu_FACE_H
#define fmu_FACE_H

#include "fmu_core.h"

/* Names of the interface. With a prefix that the importer gives (FMI2_FUNCTION_PREFIX, FMI3_FUNCTION_PREFIX) they begin with it. Without
   one they are plain, as in a shared library; where linkers know weak names and aliases there is a second name that begins with the
   model's, so that several models fit into one program. */
#if defined(FMI3_FUNCTION_PREFIX) && !defined(FMI3_OVERRIDE_FUNCTION_PREFIX)
#define GIVEN FMI3_FUNCTION_PREFIX
#elif defined(FMI2_FUNCTION_PREFIX) && !defined(FMI2_OVERRIDE_FUNCTION_PREFIX)
#define GIVEN FMI2_FUNCTION_PREFIX
#endif
#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)
#if defined(_WIN32)
#define SHOWN __declspec(dllexport)
#elif defined(__GNUC__)
#define SHOWN __attribute__((visibility("default")))
#else
#define SHOWN
#endif
#if defined(GIVEN)
#define EXPORT(type, name, arguments)        \
    SHOWN type PASTE(GIVEN, name) arguments; \
    SHOWN type PASTE(GIVEN, name) arguments
#elif defined(__GNUC__) && defined(__ELF__)
#define EXPORT(type, name, arguments)                                           \
    SHOWN __attribute__((weak)) type name arguments;                            \
    SHOWN type PASTE(fmu_, name) arguments __attribute__((alias(#name)));       \
    type name arguments
#else
#define EXPORT(type, name, arguments) \
    SHOWN type name arguments;        \
    SHOWN type name arguments
#endif

#define STARTING (fmu_MADE | fmu_INITIALISING)
#define EXCHANGING (fmu_EVENT | fmu_CONTINUOUS)
#define BOTH (fmu_EXCHANGE | fmu_STEPS)
#define DEMAND(kinds, phases)                                       \
    fmu_Model *m = instance;                                        \
    if (!m) {                                                       \
        return fmu_ERROR;                                           \
    }                                                               \
    if (fmu_demand(m, (kinds), (phases), __func__) != fmu_OK) {     \
        return fmu_ERROR;                                           \
    }
#define DEMAND_POINTER(pointer, n)                                                   \
    if (!(pointer) && (n)) {                                                         \
        return fmu_complain(m, fmu_ERROR, "%s: a null pointer was given", __func__); \
    }

#endif
