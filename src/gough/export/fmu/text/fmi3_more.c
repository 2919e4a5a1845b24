/* FMI 3.0: variables of other types, clocks and dependencies, of which there are none; snapshots. */
#include <stdbool.h>

#include "fmu_face.h"

/* There are variables of no other type. */
#define NONE(name, type, values)                                                                                     \
    EXPORT(int, fmi3##name, (void *instance, const uint32_t references[], size_t n, type values[], size_t size)) {        \
        DEMAND(BOTH, fmu_ANY);                                                                                    \
        (void)references;                                                                                            \
        (void)values;                                                                                                \
        (void)size;                                                                                                  \
        return n == 0 ? fmu_OK : fmu_complain(m, fmu_ERROR, "fmi3" #name ": all variables of this model are Float64"); \
    }
NONE(GetFloat32, float, values)
NONE(GetInt8, int8_t, values)
NONE(GetUInt8, uint8_t, values)
NONE(GetInt16, int16_t, values)
NONE(GetUInt16, uint16_t, values)
NONE(GetInt32, int32_t, values)
NONE(GetUInt32, uint32_t, values)
NONE(GetInt64, int64_t, values)
NONE(GetUInt64, uint64_t, values)
NONE(GetBoolean, bool, values)
NONE(GetString, const char *, values)
NONE(SetFloat32, const float, values)
NONE(SetInt8, const int8_t, values)
NONE(SetUInt8, const uint8_t, values)
NONE(SetInt16, const int16_t, values)
NONE(SetUInt16, const uint16_t, values)
NONE(SetInt32, const int32_t, values)
NONE(SetUInt32, const uint32_t, values)
NONE(SetInt64, const int64_t, values)
NONE(SetUInt64, const uint64_t, values)
NONE(SetBoolean, const bool, values)
NONE(SetString, const char *const, values)

#define NO_BINARY(name, sizes_type, values_type)                                                                       \
    EXPORT(int, fmi3##name, (void *instance, const uint32_t references[], size_t n, sizes_type sizes[], values_type values[], \
                          size_t size)) {                                                                               \
        DEMAND(BOTH, fmu_ANY);                                                                                      \
        (void)references;                                                                                              \
        (void)sizes;                                                                                                   \
        (void)values;                                                                                                  \
        (void)size;                                                                                                    \
        return n == 0 ? fmu_OK : fmu_complain(m, fmu_ERROR, "fmi3" #name ": all variables of this model are Float64");   \
    }
NO_BINARY(GetBinary, size_t, const uint8_t *)
NO_BINARY(SetBinary, const size_t, const uint8_t *const)

#define NO_CLOCK(name, parameters, ...)                                                                   \
    EXPORT(int, fmi3##name, (void *instance, const uint32_t references[], size_t n, parameters)) {             \
        DEMAND(BOTH, fmu_ANY);                                                                         \
        (void)references;                                                                                 \
        __VA_ARGS__;                                                                                      \
        return n == 0 ? fmu_OK : fmu_complain(m, fmu_ERROR, "fmi3" #name ": this model has no clocks");     \
    }
#define TWO(a, b) a, b
NO_CLOCK(GetClock, bool values[], (void)values)
NO_CLOCK(SetClock, const bool values[], (void)values)
NO_CLOCK(GetIntervalDecimal, TWO(double intervals[], int qualifiers[]), (void)intervals; (void)qualifiers)
NO_CLOCK(GetIntervalFraction, TWO(uint64_t counters[], TWO(uint64_t resolutions[], int qualifiers[])), (void)counters;
         (void)resolutions; (void)qualifiers)
NO_CLOCK(GetShiftDecimal, double shifts[], (void)shifts)
NO_CLOCK(GetShiftFraction, TWO(uint64_t counters[], uint64_t resolutions[]), (void)counters; (void)resolutions)
NO_CLOCK(SetIntervalDecimal, const double intervals[], (void)intervals)
NO_CLOCK(SetIntervalFraction, TWO(const uint64_t counters[], const uint64_t resolutions[]), (void)counters; (void)resolutions)
NO_CLOCK(SetShiftDecimal, const double shifts[], (void)shifts)
NO_CLOCK(SetShiftFraction, TWO(const uint64_t counters[], const uint64_t resolutions[]), (void)counters; (void)resolutions)

EXPORT(int, fmi3GetNumberOfVariableDependencies, (void *instance, uint32_t reference, size_t *n)) {
    DEMAND(BOTH, fmu_ANY);
    (void)reference;
    (void)n;
    return fmu_complain(m, fmu_ERROR, "dependencies do not change: see the model description");
}

EXPORT(int, fmi3GetVariableDependencies, (void *instance, uint32_t dependent, size_t elements[], uint32_t independents[],
                                       size_t others[], int kinds[], size_t n)) {
    DEMAND(BOTH, fmu_ANY);
    (void)dependent;
    (void)elements;
    (void)independents;
    (void)others;
    (void)kinds;
    (void)n;
    return fmu_complain(m, fmu_ERROR, "dependencies do not change: see the model description");
}

EXPORT(int, fmi3GetFMUState, (void *instance, void **state)) {
    DEMAND(BOTH, fmu_ANY);
    DEMAND_POINTER(state, 1);
    return fmu_keep(m, &m->now, state, __func__);
}

EXPORT(int, fmi3SetFMUState, (void *instance, void *state)) {
    DEMAND(BOTH, fmu_ANY);
    DEMAND_POINTER(state, 1);
    return fmu_set_back(m, state, __func__);
}

EXPORT(int, fmi3FreeFMUState, (void *instance, void **state)) {
    DEMAND(BOTH, fmu_ANY);
    return fmu_let_go(m, state, __func__);
}

EXPORT(int, fmi3SerializedFMUStateSize, (void *instance, void *state, size_t *size)) {
    DEMAND(BOTH, fmu_ANY);
    DEMAND_POINTER(state, 1);
    DEMAND_POINTER(size, 1);
    return fmu_count_bytes(m, state, size, __func__);
}

EXPORT(int, fmi3SerializeFMUState, (void *instance, void *state, uint8_t bytes[], size_t size)) {
    DEMAND(BOTH, fmu_ANY);
    DEMAND_POINTER(state, 1);
    DEMAND_POINTER(bytes, 1);
    return fmu_pack(m, state, bytes, size, __func__);
}

EXPORT(int, fmi3DeserializeFMUState, (void *instance, const uint8_t bytes[], size_t size, void **state)) {
    DEMAND(BOTH, fmu_ANY);
    DEMAND_POINTER(bytes, 1);
    DEMAND_POINTER(state, 1);
    return fmu_unpack(m, bytes, size, state, __func__);
}
