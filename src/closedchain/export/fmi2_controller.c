/* A controller behind the functions of FMI 2.0, for co-simulation: it looks at its inputs every `interval` seconds, from
 * the start of the experiment on, and holds its command in between.
 *
 * `controller.h`, which is generated, has: Values (a struct of doubles whose offset in doubles is a variable's value
 * reference: what is given first, then the command, then what is kept), START (its first values), GUID, and `control`
 * from Values to Values. `types.h` has the types of FMI 2.0.
 */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "types.h"
#include "controller.h"

#define AT(field) (offsetof(Values, field) / sizeof(double))
#define ROUNDING 1e-9 /* of an interval: instants that are nearer to each other are the same */

typedef struct {
    Values v;
    double begin;
    double count; /* commands made so far */
    int initializing;
} State;

typedef struct {
    State now;
    char *name;
    fmi2CallbackFunctions call;
} Controller;

static fmi2Status tell(Controller *c, fmi2Status status, const char *format, ...) {
    char text[512];
    va_list more;
    va_start(more, format);
    vsnprintf(text, sizeof text, format, more);
    va_end(more);
    if (c->call.logger != NULL) {
        c->call.logger(c->call.componentEnvironment, c->name, status, "logStatusError", "%s", text);
    }
    return status;
}

EXPORT const char *FMI(fmi2GetTypesPlatform)(void) { return "default"; }
EXPORT const char *FMI(fmi2GetVersion)(void) { return "2.0"; }

EXPORT fmi2Status FMI(fmi2SetDebugLogging)(fmi2Component c, fmi2Boolean on, size_t n, const fmi2String categories[]) {
    (void)c;
    (void)on;
    (void)n;
    (void)categories;
    return fmi2OK;
}

EXPORT fmi2Status FMI(fmi2Reset)(fmi2Component c) {
    Controller *controller = c;
    memset(&controller->now, 0, sizeof controller->now);
    controller->now.v = START;
    controller->now.initializing = 1;
    return fmi2OK;
}

EXPORT fmi2Component FMI(fmi2Instantiate)(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                                          const fmi2CallbackFunctions *call, fmi2Boolean visible, fmi2Boolean logs) {
    (void)resources;
    (void)visible;
    (void)logs;
    Controller *c = calloc(1, sizeof *c);
    if (c == NULL) return NULL;
    c->name = calloc(strlen(name) + 1, 1);
    if (c->name == NULL) {
        free(c);
        return NULL;
    }
    strcpy(c->name, name);
    if (call != NULL) c->call = *call;
    if (type != fmi2CoSimulation || guid == NULL || strcmp(guid, GUID) != 0) {
        tell(c, fmi2Error, "this is the controller %s for co-simulation, not %s", GUID, guid == NULL ? "(none)" : guid);
        free(c->name);
        free(c);
        return NULL;
    }
    FMI(fmi2Reset)(c);
    return c;
}

EXPORT void FMI(fmi2FreeInstance)(fmi2Component c) {
    if (c == NULL) return;
    free(((Controller *)c)->name);
    free(c);
}

EXPORT fmi2Status FMI(fmi2SetupExperiment)(fmi2Component c, fmi2Boolean tolerant, fmi2Real tolerance, fmi2Real start,
                                           fmi2Boolean ends, fmi2Real stop) {
    (void)tolerant;
    (void)tolerance;
    (void)ends;
    (void)stop;
    ((Controller *)c)->now.begin = start;
    return fmi2OK;
}

EXPORT fmi2Status FMI(fmi2EnterInitializationMode)(fmi2Component c) {
    (void)c;
    return fmi2OK;
}

EXPORT fmi2Status FMI(fmi2ExitInitializationMode)(fmi2Component c) {
    ((Controller *)c)->now.initializing = 0;
    return fmi2OK;
}

EXPORT fmi2Status FMI(fmi2Terminate)(fmi2Component c) {
    (void)c;
    return fmi2OK;
}

/* Variables ------------------------------------------------------------------------------------------------------ */

EXPORT fmi2Status FMI(fmi2GetReal)(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Real value[]) {
    for (size_t i = 0; i < n; i++) {
        if (vr[i] >= sizeof(Values) / sizeof(double)) {
            return tell(c, fmi2Error, "there is no real variable with value reference %u", vr[i]);
        }
        value[i] = ((const double *)&((Controller *)c)->now.v)[vr[i]];
    }
    return fmi2OK;
}

EXPORT fmi2Status FMI(fmi2SetReal)(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Real value[]) {
    Controller *controller = c;
    for (size_t i = 0; i < n; i++) {
        const int kept = vr[i] >= AT(u), clock = vr[i] == AT(interval);
        if (vr[i] >= sizeof(Values) / sizeof(double) || ((kept || clock) && !controller->now.initializing)) {
            return tell(c, fmi2Error, "the variable with value reference %u cannot be set now", vr[i]);
        }
        if (isnan(value[i]) || (clock && !(value[i] > 0.0 && isfinite(value[i])))) {
            return tell(c, fmi2Error, "%g is no value for the variable with value reference %u", value[i], vr[i]);
        }
        ((double *)&controller->now.v)[vr[i]] = value[i];
    }
    return fmi2OK;
}

static fmi2Status none(fmi2Component c, size_t n, const char *kind) {
    return n == 0 ? fmi2OK : tell(c, fmi2Error, "there are no %s", kind);
}

#define NO_VARIABLES(Name, type)                                                                                   \
    EXPORT fmi2Status FMI(fmi2Get##Name)(fmi2Component c, const fmi2ValueReference vr[], size_t n, type value[]) {  \
        (void)vr;                                                                                                  \
        (void)value;                                                                                               \
        return none(c, n, #Name " variables");                                                                     \
    }                                                                                                              \
    EXPORT fmi2Status FMI(fmi2Set##Name)(fmi2Component c, const fmi2ValueReference vr[], size_t n,                 \
                                         const type value[]) {                                                     \
        (void)vr;                                                                                                  \
        (void)value;                                                                                               \
        return none(c, n, #Name " variables");                                                                     \
    }
NO_VARIABLES(Integer, fmi2Integer)
NO_VARIABLES(Boolean, fmi2Boolean)
NO_VARIABLES(String, fmi2String)

EXPORT fmi2Status FMI(fmi2GetDirectionalDerivative)(fmi2Component c, const fmi2ValueReference unknown[], size_t nu,
                                                    const fmi2ValueReference known[], size_t nk, const fmi2Real dk[],
                                                    fmi2Real du[]) {
    (void)unknown;
    (void)known;
    (void)nk;
    (void)dk;
    (void)du;
    return none(c, nu, "directional derivatives");
}

/* The whole state, to return to ---------------------------------------------------------------------------------- */

EXPORT fmi2Status FMI(fmi2GetFMUstate)(fmi2Component c, fmi2FMUstate *kept) {
    if (*kept == NULL) *kept = calloc(1, sizeof(State));
    if (*kept == NULL) return tell(c, fmi2Error, "out of memory");
    *(State *)*kept = ((Controller *)c)->now;
    return fmi2OK;
}

EXPORT fmi2Status FMI(fmi2SetFMUstate)(fmi2Component c, fmi2FMUstate kept) {
    if (kept == NULL) return tell(c, fmi2Error, "no state was given");
    ((Controller *)c)->now = *(State *)kept;
    return fmi2OK;
}

EXPORT fmi2Status FMI(fmi2FreeFMUstate)(fmi2Component c, fmi2FMUstate *kept) {
    (void)c;
    free(*kept);
    *kept = NULL;
    return fmi2OK;
}

EXPORT fmi2Status FMI(fmi2SerializedFMUstateSize)(fmi2Component c, fmi2FMUstate kept, size_t *size) {
    (void)c;
    (void)kept;
    *size = sizeof(State);
    return fmi2OK;
}

EXPORT fmi2Status FMI(fmi2SerializeFMUstate)(fmi2Component c, fmi2FMUstate kept, fmi2Byte bytes[], size_t size) {
    if (size < sizeof(State)) return tell(c, fmi2Error, "%u bytes are too few for the state", (unsigned)size);
    memcpy(bytes, kept, sizeof(State));
    return fmi2OK;
}

EXPORT fmi2Status FMI(fmi2DeSerializeFMUstate)(fmi2Component c, const fmi2Byte bytes[], size_t size,
                                               fmi2FMUstate *kept) {
    if (size != sizeof(State)) return tell(c, fmi2Error, "%u bytes are not a state", (unsigned)size);
    if (*kept == NULL) *kept = calloc(1, sizeof(State));
    if (*kept == NULL) return tell(c, fmi2Error, "out of memory");
    memcpy(*kept, bytes, sizeof(State));
    return fmi2OK;
}

/* Co-simulation -------------------------------------------------------------------------------------------------- */

EXPORT fmi2Status FMI(fmi2DoStep)(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean noSetStatePrior) {
    State *now = &((Controller *)c)->now;
    const double interval = now->v.interval;
    (void)noSetStatePrior;
    if (!(h >= 0.0 && isfinite(t) && isfinite(h))) return tell(c, fmi2Error, "no step from %g by %g s", t, h);
    /* Every instant begin + count * interval before t + h that has not been looked at; the one at t is. */
    while (now->begin + (now->count + ROUNDING) * interval < t + h) {
        control(&now->v);
        now->count += 1.0;
        for (size_t i = AT(u); i < sizeof(Values) / sizeof(double); i++) {
            if (!isfinite(((const double *)&now->v)[i])) {
                return tell(c, fmi2Error, "the command at t = %g s is no finite number", t);
            }
        }
    }
    return fmi2OK;
}

EXPORT fmi2Status FMI(fmi2CancelStep)(fmi2Component c) { return tell(c, fmi2Error, "there is no step to cancel"); }

EXPORT fmi2Status FMI(fmi2SetRealInputDerivatives)(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                                                   const fmi2Integer order[], const fmi2Real value[]) {
    (void)vr;
    (void)order;
    (void)value;
    return none(c, n, "derivatives of inputs");
}

EXPORT fmi2Status FMI(fmi2GetRealOutputDerivatives)(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                                                    const fmi2Integer order[], fmi2Real value[]) {
    (void)vr;
    (void)order;
    (void)value;
    return none(c, n, "derivatives of outputs");
}

#define NO_STATUS(Name, type)                                                                                      \
    EXPORT fmi2Status FMI(fmi2Get##Name##Status)(fmi2Component c, const fmi2StatusKind kind, type *value) {         \
        (void)c;                                                                                                   \
        (void)kind;                                                                                                \
        (void)value;                                                                                               \
        return fmi2Discard;                                                                                        \
    }
EXPORT fmi2Status FMI(fmi2GetStatus)(fmi2Component c, const fmi2StatusKind kind, fmi2Status *value) {
    (void)c;
    (void)kind;
    (void)value;
    return fmi2Discard;
}
NO_STATUS(Real, fmi2Real)
NO_STATUS(Integer, fmi2Integer)
NO_STATUS(Boolean, fmi2Boolean)
NO_STATUS(String, fmi2String)
