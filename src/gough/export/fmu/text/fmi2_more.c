/* FMI 2.0: snapshots; steps of Co-Simulation. */
#include "fmu_face.h"

EXPORT(int, fmi2GetFMUstate, (void *instance, void **state)) {
    DEMAND(BOTH, fmu_ANY);
    DEMAND_POINTER(state, 1);
    return fmu_keep(m, &m->now, state, __func__);
}

EXPORT(int, fmi2SetFMUstate, (void *instance, void *state)) {
    DEMAND(BOTH, fmu_ANY);
    DEMAND_POINTER(state, 1);
    return fmu_set_back(m, state, __func__);
}

EXPORT(int, fmi2FreeFMUstate, (void *instance, void **state)) {
    DEMAND(BOTH, fmu_ANY);
    return fmu_let_go(m, state, __func__);
}

EXPORT(int, fmi2SerializedFMUstateSize, (void *instance, void *state, size_t *size)) {
    DEMAND(BOTH, fmu_ANY);
    DEMAND_POINTER(state, 1);
    DEMAND_POINTER(size, 1);
    return fmu_count_bytes(m, state, size, __func__);
}

EXPORT(int, fmi2SerializeFMUstate, (void *instance, void *state, char bytes[], size_t size)) {
    DEMAND(BOTH, fmu_ANY);
    DEMAND_POINTER(state, 1);
    DEMAND_POINTER(bytes, 1);
    return fmu_pack(m, state, (unsigned char *)bytes, size, __func__);
}

EXPORT(int, fmi2DeSerializeFMUstate, (void *instance, const char bytes[], size_t size, void **state)) {
    DEMAND(BOTH, fmu_ANY);
    DEMAND_POINTER(bytes, 1);
    DEMAND_POINTER(state, 1);
    return fmu_unpack(m, (const unsigned char *)bytes, size, state, __func__);
}

/* Co-Simulation */

#define AFTER_STEP (fmu_STEPPING | fmu_STEP_FAILED | fmu_TERMINATED)

EXPORT(int, fmi2SetRealInputDerivatives, (void *instance, const uint32_t references[], size_t n, const int orders[],
                                       const double values[])) {
    DEMAND(fmu_STEPS, STARTING | fmu_STEPPING);
    (void)references;
    (void)orders;
    (void)values;
    return n == 0 ? fmu_OK : fmu_complain(m, fmu_ERROR, "inputs are held during a step: they have no derivatives");
}

EXPORT(int, fmi2GetRealOutputDerivatives, (void *instance, const uint32_t references[], size_t n, const int orders[], double values[])) {
    DEMAND(fmu_STEPS, fmu_STEPPING | fmu_STEP_FAILED | fmu_TERMINATED | fmu_BROKEN);
    (void)references;
    (void)orders;
    (void)values;
    return n == 0 ? fmu_OK : fmu_complain(m, fmu_ERROR, "there are no derivatives of outputs by time");
}

EXPORT(int, fmi2DoStep, (void *instance, double from, double step, int keeps)) {
    (void)keeps;
    DEMAND(fmu_STEPS, fmu_STEPPING);
    const int status = fmu_advance(m, from, step);
    if (status == fmu_DISCARD) {
        m->now.phase = fmu_STEP_FAILED;
    }
    return status;
}

EXPORT(int, fmi2CancelStep, (void *instance)) {
    DEMAND(fmu_STEPS, fmu_ANY);
    return fmu_complain(m, fmu_ERROR, "steps are done when fmi2DoStep returns: there is none to cancel");
}

#define NO_STATUS(name, type)                                                                       \
    EXPORT(int, fmi2##name, (void *instance, int kind, type *value)) {                                  \
        DEMAND(fmu_STEPS, AFTER_STEP);                                                                 \
        (void)kind;                                                                                 \
        (void)value;                                                                                \
        return fmu_complain(m, fmu_DISCARD, "fmi2" #name ": steps are done when fmi2DoStep returns"); \
    }
NO_STATUS(GetStatus, int)
NO_STATUS(GetIntegerStatus, int)
NO_STATUS(GetStringStatus, const char *)

EXPORT(int, fmi2GetRealStatus, (void *instance, int kind, double *value)) {
    DEMAND(fmu_STEPS, AFTER_STEP);
    DEMAND_POINTER(value, 1);
    if (kind == 2) {
        *value = m->now.time;
        return fmu_OK;
    }
    return fmu_complain(m, fmu_DISCARD, "fmi2GetRealStatus: there is the time of the last successful step (2) alone");
}

EXPORT(int, fmi2GetBooleanStatus, (void *instance, int kind, int *value)) {
    DEMAND(fmu_STEPS, AFTER_STEP);
    DEMAND_POINTER(value, 1);
    *value = 0;
    return kind == 3 ? fmu_OK : fmu_complain(m, fmu_DISCARD, "fmi2GetBooleanStatus: there is 'terminated' (3) alone");
}
