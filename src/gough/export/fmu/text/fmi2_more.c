/* FMI 2.0: snapshots; steps of Co-Simulation. */
#include <string.h>

#include "fmu_face.h"
#include "fmu_memory2.h"

EXPORT int fmi2GetFMUstate(void *instance, void **state) {
    DEMAND(~0, "fmi2GetFMUstate");
    DEMAND_POINTER(state, 1);
    if (!*state) {
        *state = allocate(m->callbacks, sizeof(fmu_State));
    }
    if (!*state) {
        return fmu_complain(m, fmu_ERROR, "no memory for a state");
    }
    memcpy(*state, &m->now, sizeof m->now);
    return fmu_OK;
}

EXPORT int fmi2SetFMUstate(void *instance, void *state) {
    DEMAND(~0, "fmi2SetFMUstate");
    DEMAND_POINTER(state, 1);
    fmu_restore(m, state);
    return fmu_OK;
}

EXPORT int fmi2FreeFMUstate(void *instance, void **state) {
    DEMAND(~0, "fmi2FreeFMUstate");
    if (state && *state) {
        release(m->callbacks, *state);
        *state = NULL;
    }
    return fmu_OK;
}

EXPORT int fmi2SerializedFMUstateSize(void *instance, void *state, size_t *size) {
    DEMAND(~0, "fmi2SerializedFMUstateSize");
    DEMAND_POINTER(state, 1);
    DEMAND_POINTER(size, 1);
    *size = fmu_packed_size();
    return fmu_OK;
}

EXPORT int fmi2SerializeFMUstate(void *instance, void *state, char bytes[], size_t size) {
    DEMAND(~0, "fmi2SerializeFMUstate");
    DEMAND_POINTER(state, 1);
    DEMAND_POINTER(bytes, 1);
    return fmu_pack(m, state, (unsigned char *)bytes, size);
}

EXPORT int fmi2DeSerializeFMUstate(void *instance, const char bytes[], size_t size, void **state) {
    fmu_State read;
    DEMAND(~0, "fmi2DeSerializeFMUstate");
    DEMAND_POINTER(bytes, 1);
    DEMAND_POINTER(state, 1);
    if (fmu_unpack(m, (const unsigned char *)bytes, size, &read) != fmu_OK) {
        return fmu_ERROR;
    }
    if (!*state) {
        *state = allocate(m->callbacks, sizeof(fmu_State));
    }
    if (!*state) {
        return fmu_complain(m, fmu_ERROR, "no memory for a state");
    }
    memcpy(*state, &read, sizeof read);
    return fmu_OK;
}

/* Co-Simulation */

EXPORT int fmi2SetRealInputDerivatives(void *instance, const uint32_t references[], size_t n, const int orders[],
                                       const double values[]) {
    DEMAND(~0, "fmi2SetRealInputDerivatives");
    (void)references;
    (void)orders;
    (void)values;
    return n == 0 ? fmu_OK : fmu_complain(m, fmu_ERROR, "inputs are held during a step: they have no derivatives");
}

EXPORT int fmi2GetRealOutputDerivatives(void *instance, const uint32_t references[], size_t n, const int orders[], double values[]) {
    DEMAND(~0, "fmi2GetRealOutputDerivatives");
    (void)references;
    (void)orders;
    (void)values;
    return n == 0 ? fmu_OK : fmu_complain(m, fmu_ERROR, "there are no derivatives of outputs by time");
}

EXPORT int fmi2DoStep(void *instance, double from, double step, int keeps) {
    (void)keeps;
    DEMAND(fmu_STEPPING, "fmi2DoStep");
    return fmu_advance(m, from, step);
}

EXPORT int fmi2CancelStep(void *instance) {
    DEMAND(~0, "fmi2CancelStep");
    return fmu_complain(m, fmu_ERROR, "steps are done when fmi2DoStep returns: there is none to cancel");
}

#define NO_STATUS(name, type)                                                                       \
    EXPORT int fmi2##name(void *instance, int kind, type *value) {                                  \
        DEMAND(~0, "fmi2" #name);                                                                   \
        (void)kind;                                                                                 \
        (void)value;                                                                                \
        return fmu_complain(m, fmu_DISCARD, "fmi2" #name ": steps are done when fmi2DoStep returns"); \
    }
NO_STATUS(GetStatus, int)
NO_STATUS(GetIntegerStatus, int)
NO_STATUS(GetStringStatus, const char *)

EXPORT int fmi2GetRealStatus(void *instance, int kind, double *value) {
    DEMAND(~0, "fmi2GetRealStatus");
    DEMAND_POINTER(value, 1);
    if (kind == 2) {
        *value = m->now.time;
        return fmu_OK;
    }
    return fmu_complain(m, fmu_DISCARD, "fmi2GetRealStatus: there is the time of the last successful step (2) alone");
}

EXPORT int fmi2GetBooleanStatus(void *instance, int kind, int *value) {
    DEMAND(~0, "fmi2GetBooleanStatus");
    DEMAND_POINTER(value, 1);
    *value = 0;
    return kind == 3 ? fmu_OK : fmu_complain(m, fmu_DISCARD, "fmi2GetBooleanStatus: there is 'terminated' (3) alone");
}
