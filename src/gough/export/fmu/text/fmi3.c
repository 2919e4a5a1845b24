/* The functions of FMI 3.0: arguments and modes; what they do stands in fmu_core.c. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "fmu_face.h"

#define LOOKING (fmu_INITIALISING | EXCHANGING | fmu_TERMINATED)

typedef void (*Log)(void *environment, int status, const char *category, const char *message);

static void say(fmu_Model *m, int status, const char *text) {
    Log log;
    memcpy(&log, &m->callbacks, sizeof log);
    if (log && (m->logging & (status >= fmu_ERROR ? fmu_ERRORS : fmu_DISCARDS))) {
        log(m->environment, status, status >= fmu_ERROR ? "logStatusError" : "logStatusDiscard", text);
    }
}

EXPORT(const char *, fmi3GetVersion, (void)) {
    return "3.0";
}

EXPORT(int, fmi3SetDebugLogging, (void *instance, bool on, size_t n, const char *const categories[])) {
    DEMAND(BOTH, fmu_ANY);
    DEMAND_POINTER(categories, n);
    return fmu_choose_logging(m, on, n, categories);
}

static void *allocate(const fmu_Model *m, size_t size) {
    (void)m;
    return calloc(1, size);
}

static void release(const fmu_Model *m, void *memory) {
    (void)m;
    free(memory);
}

static void *instantiate(int kind, const char *name, const char *token, bool logging, void *environment, Log log) {
    const char *problem = NULL;
    fmu_Model *m = NULL;
    if (!name || !name[strspn(name, " \t\r\n")]) {
        problem = "an instance needs a name";
    } else if (!token || strcmp(token, fmu_TOKEN) != 0) {
        problem = "the instantiation token is not that of this model: description and binary do not belong together";
    } else {
        m = calloc(1, sizeof *m);
        problem = m ? NULL : "no memory for an instance";
    }
    if (problem) {
        if (log) {
            log(environment, fmu_ERROR, "logStatusError", problem);
        }
        return NULL;
    }
    m->name = malloc(strlen(name) + 1);
    if (!m->name) {
        free(m);
        return NULL;
    }
    strcpy(m->name, name);
    m->kind = kind;
    m->after_error = fmu_TERMINATED;
    m->logging = logging ? fmu_ERRORS | fmu_DISCARDS : 0;
    m->environment = environment;
    memcpy(&m->callbacks, &log, sizeof log);
    m->say = say;
    m->allocate = allocate;
    m->release = release;
    fmu_begin(m);
    return m;
}

EXPORT(void *, fmi3InstantiateModelExchange, (const char *name, const char *token, const char *resources, bool visible, bool logging,
                                          void *environment, Log log)) {
    (void)resources;
    (void)visible;
    return instantiate(fmu_EXCHANGE, name, token, logging, environment, log);
}

EXPORT(void *, fmi3InstantiateCoSimulation, (const char *name, const char *token, const char *resources, bool visible, bool logging,
                                         bool events, bool early, const uint32_t required[], size_t n, void *environment, Log log,
                                         void (*update)(void))) {
    (void)resources;
    (void)visible;
    (void)early;
    (void)required;
    (void)update;
    if (n || events) {
        if (log) {
            log(environment, fmu_ERROR, "logStatusError",
                n ? "there are no intermediate updates: require no variables in them"
                  : "there is no event mode in Co-Simulation (hasEventMode is false): say eventModeUsed = false");
        }
        return NULL;
    }
    return instantiate(fmu_STEPS, name, token, logging, environment, log);
}

EXPORT(void *, fmi3InstantiateScheduledExecution, (const char *name, const char *token, const char *resources, bool visible, bool logging,
                                               void *environment, Log log, void (*update)(void), void (*lock)(void),
                                               void (*unlock)(void))) {
    (void)name;
    (void)token;
    (void)resources;
    (void)visible;
    (void)logging;
    (void)update;
    (void)lock;
    (void)unlock;
    if (log) {
        log(environment, fmu_ERROR, "logStatusError", "there is no Scheduled Execution: use Model Exchange or Co-Simulation");
    }
    return NULL;
}

EXPORT(void, fmi3FreeInstance, (void *instance)) {
    fmu_Model *m = instance;
    if (m) {
        fmu_let_all_go(m);
        free(m->name);
        free(m);
    }
}

EXPORT(int, fmi3EnterInitializationMode, (void *instance, bool tolerance_given, double tolerance, double start, bool stops, double stop)) {
    (void)tolerance_given;
    (void)tolerance;
    DEMAND(BOTH, fmu_MADE);
    return fmu_enter_initialisation(m, start, stops, stop);
}

EXPORT(int, fmi3ExitInitializationMode, (void *instance)) {
    DEMAND(BOTH, fmu_INITIALISING);
    const int status = fmu_exit_initialisation(m);
    if (status == fmu_OK) {
        m->now.phase = m->kind == fmu_EXCHANGE ? fmu_EVENT : fmu_STEPPING;
    }
    return status;
}

EXPORT(int, fmi3EnterEventMode, (void *instance)) {
    DEMAND(fmu_EXCHANGE, fmu_CONTINUOUS);
    m->now.phase = fmu_EVENT;
    return fmu_OK;
}

EXPORT(int, fmi3EnterStepMode, (void *instance)) {
    DEMAND(BOTH, fmu_ANY);
    return fmu_complain(m, fmu_ERROR, "fmi3EnterStepMode: there is no event mode in Co-Simulation to leave");
}

EXPORT(int, fmi3Terminate, (void *instance)) {
    DEMAND(BOTH, EXCHANGING | fmu_STEPPING);
    m->now.phase = fmu_TERMINATED;
    return fmu_OK;
}

EXPORT(int, fmi3Reset, (void *instance)) {
    DEMAND(BOTH, fmu_ANY);
    fmu_begin(m);
    return fmu_OK;
}

EXPORT(int, fmi3GetFloat64, (void *instance, const uint32_t references[], size_t n, double values[], size_t size)) {
    DEMAND(BOTH, fmu_ANY);
    DEMAND_POINTER(references, n);
    DEMAND_POINTER(values, n);
    if (size != n) {
        return fmu_complain(m, fmu_ERROR, "fmi3GetFloat64: %lu values for %lu variables", (unsigned long)size, (unsigned long)n);
    }
    return fmu_get(m, references, n, values);
}

EXPORT(int, fmi3SetFloat64, (void *instance, const uint32_t references[], size_t n, const double values[], size_t size)) {
    DEMAND(BOTH, STARTING | EXCHANGING | fmu_STEPPING);
    DEMAND_POINTER(references, n);
    DEMAND_POINTER(values, n);
    if (size != n) {
        return fmu_complain(m, fmu_ERROR, "fmi3SetFloat64: %lu values for %lu variables", (unsigned long)size, (unsigned long)n);
    }
    return fmu_set(m, references, n, values, 0);
}

#define DERIVATIVE(name, adjoint, given, found)                                                                          \
    EXPORT(int, fmi3##name, (void *instance, const uint32_t unknowns[], size_t rows, const uint32_t knowns[], size_t columns, \
                          const double seed[], size_t seeds, double result[], size_t results)) {                          \
        DEMAND(BOTH, LOOKING | fmu_STEPPING);                                                                            \
        DEMAND_POINTER(unknowns, rows);                                                                                  \
        DEMAND_POINTER(knowns, columns);                                                                                 \
        DEMAND_POINTER(seed, seeds);                                                                                     \
        DEMAND_POINTER(result, results);                                                                                 \
        if (seeds != (given) || results != (found)) {                                                                    \
            return fmu_complain(m, fmu_ERROR, "fmi3" #name ": one seed and one result belong to each variable");          \
        }                                                                                                                \
        return fmu_derivative(m, unknowns, rows, knowns, columns, seed, result, adjoint);                                \
    }
DERIVATIVE(GetDirectionalDerivative, 0, columns, rows)
DERIVATIVE(GetAdjointDerivative, 1, rows, columns)

#define NO_CONFIGURATION(name)                                                            \
    EXPORT(int, fmi3##name, (void *instance)) {                                               \
        DEMAND(BOTH, fmu_ANY);                                                            \
        return fmu_complain(m, fmu_ERROR, "fmi3" #name ": there are no structural parameters"); \
    }
NO_CONFIGURATION(EnterConfigurationMode)
NO_CONFIGURATION(ExitConfigurationMode)

EXPORT(int, fmi3EvaluateDiscreteStates, (void *instance)) {
    DEMAND(BOTH, fmu_INITIALISING | fmu_EVENT);
    return fmu_OK;
}

EXPORT(int, fmi3UpdateDiscreteStates, (void *instance, bool *again, bool *terminate, bool *nominals, bool *values, bool *defined,
                                    double *time)) {
    int changed, event;
    double when;
    DEMAND(fmu_EXCHANGE, fmu_EVENT);
    const int status = fmu_update(m, &changed, &event, &when);
    if (status == fmu_OK) {
        if (again) *again = false;
        if (terminate) *terminate = false;
        if (nominals) *nominals = false;
        if (values) *values = changed != 0;
        if (defined) *defined = event != 0;
        if (time && event) *time = when;
    }
    return status;
}

/* Model Exchange */

EXPORT(int, fmi3EnterContinuousTimeMode, (void *instance)) {
    DEMAND(fmu_EXCHANGE, fmu_EVENT);
    m->now.phase = fmu_CONTINUOUS;
    return fmu_OK;
}

EXPORT(int, fmi3CompletedIntegratorStep, (void *instance, bool keeps, bool *enter, bool *terminate)) {
    int event = 0;
    (void)keeps;
    DEMAND(fmu_EXCHANGE, fmu_CONTINUOUS);
    const int status = fmu_completed_step(m, &event);
    if (enter) *enter = event != 0;
    if (terminate) *terminate = false;
    return status;
}

EXPORT(int, fmi3SetTime, (void *instance, double time)) {
    DEMAND(fmu_EXCHANGE, EXCHANGING);
    return fmu_set_time(m, time);
}

EXPORT(int, fmi3SetContinuousStates, (void *instance, const double x[], size_t n)) {
    DEMAND(fmu_EXCHANGE, fmu_CONTINUOUS);
    DEMAND_POINTER(x, n);
    return fmu_set_states(m, x, n);
}

EXPORT(int, fmi3GetContinuousStateDerivatives, (void *instance, double rates[], size_t n)) {
    DEMAND(fmu_EXCHANGE, LOOKING);
    DEMAND_POINTER(rates, n);
    return fmu_get_rates(m, rates, n);
}

EXPORT(int, fmi3GetEventIndicators, (void *instance, double indicators[], size_t n)) {
    DEMAND(fmu_EXCHANGE, LOOKING);
    (void)indicators;
    return n == 0 ? fmu_OK : fmu_complain(m, fmu_ERROR, "this model has no event indicators");
}

EXPORT(int, fmi3GetContinuousStates, (void *instance, double x[], size_t n)) {
    DEMAND(fmu_EXCHANGE, LOOKING);
    DEMAND_POINTER(x, n);
    return fmu_get_states(m, x, n);
}

EXPORT(int, fmi3GetNominalsOfContinuousStates, (void *instance, double nominals[], size_t n)) {
    DEMAND(fmu_EXCHANGE, LOOKING);
    DEMAND_POINTER(nominals, n);
    if (n != fmu_STATES) {
        return fmu_complain(m, fmu_ERROR, "%lu continuous states; there are %d", (unsigned long)n, fmu_STATES);
    }
    memcpy(nominals, fmu_nominals, fmu_STATES * sizeof(double));
    return fmu_OK;
}

EXPORT(int, fmi3GetNumberOfEventIndicators, (void *instance, size_t *n)) {
    DEMAND(fmu_EXCHANGE, fmu_ANY);
    DEMAND_POINTER(n, 1);
    *n = 0;
    return fmu_OK;
}

EXPORT(int, fmi3GetNumberOfContinuousStates, (void *instance, size_t *n)) {
    DEMAND(fmu_EXCHANGE, fmu_ANY);
    DEMAND_POINTER(n, 1);
    *n = fmu_STATES;
    return fmu_OK;
}

/* Co-Simulation */

EXPORT(int, fmi3GetOutputDerivatives, (void *instance, const uint32_t references[], size_t n, const int32_t orders[], double values[],
                                    size_t size)) {
    DEMAND(fmu_STEPS, fmu_STEPPING | fmu_TERMINATED);
    (void)references;
    (void)orders;
    (void)values;
    (void)size;
    return n == 0 ? fmu_OK : fmu_complain(m, fmu_ERROR, "there are no derivatives of outputs by time");
}

EXPORT(int, fmi3DoStep, (void *instance, double from, double step, bool keeps, bool *events, bool *terminate, bool *early, double *last)) {
    (void)keeps;
    DEMAND(fmu_STEPS, fmu_STEPPING);
    m->before = m->now;
    const int status = fmu_advance(m, from, step);
    if (status == fmu_DISCARD) {
        fmu_restore(m, &m->before);
    }
    if (events) *events = false;
    if (terminate) *terminate = false;
    if (early) *early = false;
    if (last) *last = m->now.time;
    return status;
}

EXPORT(int, fmi3ActivateModelPartition, (void *instance, uint32_t clock, double time)) {
    DEMAND(BOTH, fmu_ANY);
    (void)clock;
    (void)time;
    return fmu_complain(m, fmu_ERROR, "there is no Scheduled Execution");
}
