/* What the functions of both versions begin with: the instance, whether they may be called now, pointers that are none. */
#ifndef fmu_FACE_H
#define fmu_FACE_H

#include "fmu_core.h"

#if defined(_WIN32)
#define EXPORT __declspec(dllexport)
#else
#define EXPORT
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
