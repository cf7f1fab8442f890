/* A robot behind the functions of FMI 2.0, for model exchange and co-simulation.
 *
 * The robot itself is in `robot.h`, which is generated: NQ, NX, NU, NP, NR (sizes), Values (a struct of doubles whose
 * offset in doubles is a variable's value reference), START (its first values), GUID, and the functions derivatives,
 * step, observe, project and scale, each from Values to Values.
 *
 * Co-simulation takes equal steps of at most `longest` seconds of the classical Runge-Kutta method, each projected onto
 * the closures; a step that two half steps contradict is made in halves. In model exchange the solver integrates (q, x)
 * and their rates freely; when the closures have come open by DRIFT of the robot's size, an event projects the states.
 */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "robot.h"

/* The types of FMI 2.0 ------------------------------------------------------------------------------------------- */

typedef void *fmi2Component;
typedef void *fmi2ComponentEnvironment;
typedef void *fmi2FMUstate;
typedef unsigned int fmi2ValueReference;
typedef double fmi2Real;
typedef int fmi2Integer;
typedef int fmi2Boolean;
typedef char fmi2Char;
typedef const fmi2Char *fmi2String;
typedef char fmi2Byte;
typedef enum { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending } fmi2Status;
typedef enum { fmi2ModelExchange, fmi2CoSimulation } fmi2Type;
typedef enum { fmi2DoStepStatus, fmi2PendingStatus, fmi2LastSuccessfulTime, fmi2Terminated } fmi2StatusKind;
typedef void (*fmi2CallbackLogger)(fmi2ComponentEnvironment, fmi2String, fmi2Status, fmi2String, fmi2String, ...);
typedef void *(*fmi2CallbackAllocateMemory)(size_t, size_t);
typedef void (*fmi2CallbackFreeMemory)(void *);
typedef void (*fmi2StepFinished)(fmi2ComponentEnvironment, fmi2Status);
typedef struct {
    fmi2CallbackLogger logger;
    fmi2CallbackAllocateMemory allocateMemory;
    fmi2CallbackFreeMemory freeMemory;
    fmi2StepFinished stepFinished;
    fmi2ComponentEnvironment componentEnvironment;
} fmi2CallbackFunctions;
typedef struct {
    fmi2Boolean newDiscreteStatesNeeded;
    fmi2Boolean terminateSimulation;
    fmi2Boolean nominalsOfContinuousStatesChanged;
    fmi2Boolean valuesOfContinuousStatesChanged;
    fmi2Boolean nextEventTimeDefined;
    fmi2Real nextEventTime;
} fmi2EventInfo;

#if defined(FMI2_FUNCTION_PREFIX)
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define FMI(name) JOIN(FMI2_FUNCTION_PREFIX, name)
#define EXPORT
#else
#define FMI(name) name
#if defined(_WIN32)
#define EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define EXPORT __attribute__((visibility("default")))
#else
#define EXPORT
#endif
#endif

/* One robot ------------------------------------------------------------------------------------------------------ */

#define OPEN 1e-6      /* of the robot's size: closures that are open so far are an error */
#define DRIFT 1e-9     /* of the robot's size: closures that are open so far are projected, in model exchange */
#define DEGENERATE 1e-13 /* the smallest pivot over its own diagonal */
#define TOLERANCE 1e-6 /* of a state's nominal size, unless the experiment has another */
#define SHARE 1e-2     /* of the tolerance, by which a step and its two halves may differ */
#define ROUNDING 1e-12 /* the least difference that can be asked for */
#define DEEPEST 20     /* times a step is halved */
#define STATES (2 * (NQ + NX))
#define AT(field) (offsetof(Values, field) / sizeof(double))

typedef struct {
    Values v;
    double time;
    double tolerance;
    int initializing; /* between fmi2Instantiate and fmi2ExitInitializationMode */
    int stale;        /* what follows from states, inputs and parameters has to be computed again */
    int drifted;
} State;

typedef struct {
    State now;
    char *name;
    fmi2CallbackFunctions call;
    fmi2Boolean logs;
} Robot;

static fmi2Status tell(Robot *robot, fmi2Status status, const char *format, ...) {
    char text[512];
    va_list more;
    va_start(more, format);
    vsnprintf(text, sizeof text, format, more);
    va_end(more);
    if (robot->call.logger != NULL) {
        robot->call.logger(robot->call.componentEnvironment, robot->name, status,
                           status == fmi2OK ? "logAll" : "logStatusError", "%s", text);
    }
    return status;
}

static double largest(const double *values, int n) {
    double most = 0.0;
    for (int i = 0; i < n; i++) {
        if (isnan(values[i])) return values[i];
        most = fmax(most, fabs(values[i]));
    }
    return most;
}

static int finite_state(const Values *v) {
    for (int i = 0; i < NQ; i++) if (!isfinite(v->q[i]) || !isfinite(v->q_dot[i])) return 0;
    for (int i = 0; i < NX; i++) if (!isfinite(v->x[i]) || !isfinite(v->x_dot[i])) return 0;
    return 1;
}

/* Accelerations, passive joints, energies and gaps at the present state. */
static fmi2Status refresh(Robot *robot) {
    Values *v = &robot->now.v;
    if (!robot->now.stale) return fmi2OK;
    derivatives(v);
    observe(v);
    if (!finite_state(v) || !(v->margin > DEGENERATE)) {
        return tell(robot, fmi2Error,
                    "the dynamic model degenerates at t = %g s: %.1e of 1 where %.0e is the least; closures are "
                    "dependent here, or a body without mass moves freely, or the state is not finite",
                    robot->now.time, v->margin, DEGENERATE);
    }
    robot->now.stale = 0;
    return fmi2OK;
}

static fmi2Status check_closed(Robot *robot) {
    Values *v = &robot->now.v;
    scale(v);
    observe(v);
    if (NX && !(largest(v->gap, NX) < OPEN * v->scale)) {
        if (!robot->now.initializing) {
            return tell(robot, fmi2Error,
                        "the solver has let the loops drift open by %.3g m at t = %g s; give it a tighter tolerance",
                        largest(v->gap, NX), robot->now.time);
        }
        return tell(robot, fmi2Error,
                    "the states do not close the loops at t = %g s: the largest gap is %.3g m; set both q and x of one "
                    "configuration",
                    robot->now.time, largest(v->gap, NX));
    }
    return fmi2OK;
}

static fmi2Status check_going(Robot *robot) {
    if (!finite_state(&robot->now.v)) {
        return tell(robot, fmi2Error, "the motion grew without bound at t = %g s", robot->now.time);
    }
    return check_closed(robot);
}

static void keep_states(Values *v) {
    memcpy(v->q, v->q_next, sizeof v->q);
    memcpy(v->x, v->x_next, sizeof v->x);
    memcpy(v->q_dot, v->q_dot_next, sizeof v->q_dot);
    memcpy(v->x_dot, v->x_dot_next, sizeof v->x_dot);
}

/* Creation and destruction --------------------------------------------------------------------------------------- */

EXPORT const char *FMI(fmi2GetTypesPlatform)(void) { return "default"; }
EXPORT const char *FMI(fmi2GetVersion)(void) { return "2.0"; }

EXPORT fmi2Status FMI(fmi2SetDebugLogging)(fmi2Component c, fmi2Boolean on, size_t n, const fmi2String categories[]) {
    (void)n;
    (void)categories;
    ((Robot *)c)->logs = on;
    return fmi2OK;
}

EXPORT fmi2Status FMI(fmi2Reset)(fmi2Component c) {
    Robot *robot = c;
    memset(&robot->now, 0, sizeof robot->now);
    robot->now.v = START;
    robot->now.tolerance = TOLERANCE;
    robot->now.initializing = 1;
    robot->now.stale = 1;
    return fmi2OK;
}

EXPORT fmi2Component FMI(fmi2Instantiate)(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                                          const fmi2CallbackFunctions *call, fmi2Boolean visible, fmi2Boolean logs) {
    (void)type;
    (void)resources;
    (void)visible;
    Robot *robot = calloc(1, sizeof *robot);
    if (robot == NULL) return NULL;
    robot->name = calloc(strlen(name) + 1, 1);
    if (robot->name == NULL) {
        free(robot);
        return NULL;
    }
    strcpy(robot->name, name);
    if (call != NULL) robot->call = *call;
    robot->logs = logs;
    if (guid == NULL || strcmp(guid, GUID) != 0) {
        tell(robot, fmi2Error, "the GUID %s is not %s: this binary belongs to another model description",
             guid == NULL ? "(none)" : guid, GUID);
        free(robot->name);
        free(robot);
        return NULL;
    }
    FMI(fmi2Reset)(robot);
    return robot;
}

EXPORT void FMI(fmi2FreeInstance)(fmi2Component c) {
    if (c == NULL) return;
    free(((Robot *)c)->name);
    free(c);
}

EXPORT fmi2Status FMI(fmi2SetupExperiment)(fmi2Component c, fmi2Boolean tolerant, fmi2Real tolerance, fmi2Real start,
                                           fmi2Boolean ends, fmi2Real stop) {
    State *now = &((Robot *)c)->now;
    (void)ends;
    (void)stop;
    if (tolerant && !(tolerance > 0.0)) return tell(c, fmi2Error, "%g is no tolerance", tolerance);
    if (tolerant) now->tolerance = tolerance;
    now->time = start;
    return fmi2OK;
}

EXPORT fmi2Status FMI(fmi2EnterInitializationMode)(fmi2Component c) {
    (void)c;
    return fmi2OK;
}

EXPORT fmi2Status FMI(fmi2ExitInitializationMode)(fmi2Component c) {
    Robot *robot = c;
    if (check_closed(robot) != fmi2OK) return fmi2Error;
    Values *v = &robot->now.v;
    const double pace = fmax(largest(v->q_dot, NQ), largest(v->x_dot, NX));
    if (NX && !(largest(v->slip, NX) <= OPEN * 2.0 * v->scale * fmax(pace, 1.0))) {
        return tell(robot, fmi2Error, "the rates do not obey the closures: A x_dot + B q_dot is %.3g; set both",
                    largest(v->slip, NX));
    }
    robot->now.initializing = 0;
    robot->now.stale = 1;
    return fmi2OK;
}

EXPORT fmi2Status FMI(fmi2Terminate)(fmi2Component c) {
    (void)c;
    return fmi2OK;
}

/* Variables ------------------------------------------------------------------------------------------------------ */

EXPORT fmi2Status FMI(fmi2GetReal)(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Real value[]) {
    Robot *robot = c;
    for (size_t i = 0; i < n; i++) {
        if (vr[i] >= sizeof(Values) / sizeof(double)) {
            return tell(robot, fmi2Error, "there is no real variable with value reference %u", vr[i]);
        }
        if (vr[i] >= AT(q_ddot) && refresh(robot) != fmi2OK) return fmi2Error; /* computed ones come last */
        value[i] = ((const double *)&robot->now.v)[vr[i]];
    }
    return fmi2OK;
}

EXPORT fmi2Status FMI(fmi2SetReal)(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Real value[]) {
    Robot *robot = c;
    for (size_t i = 0; i < n; i++) {
        const int state = vr[i] < AT(u), given = vr[i] < AT(q_ddot);
        if (!given || (state && !robot->now.initializing)) {
            return tell(robot, fmi2Error, "the variable with value reference %u cannot be set %s", vr[i],
                        given ? "after initialization" : "at all");
        }
        if (!isfinite(value[i]) || (vr[i] == AT(longest) && !(value[i] > 0.0))) {
            return tell(robot, fmi2Error, "%g is no value for the variable with value reference %u", value[i], vr[i]);
        }
        ((double *)&robot->now.v)[vr[i]] = value[i];
        robot->now.stale = 1;
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
    *(State *)*kept = ((Robot *)c)->now;
    return fmi2OK;
}

EXPORT fmi2Status FMI(fmi2SetFMUstate)(fmi2Component c, fmi2FMUstate kept) {
    if (kept == NULL) return tell(c, fmi2Error, "no state was given");
    ((Robot *)c)->now = *(State *)kept;
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

/* Model exchange ------------------------------------------------------------------------------------------------- */

EXPORT fmi2Status FMI(fmi2EnterEventMode)(fmi2Component c) {
    (void)c;
    return fmi2OK;
}

EXPORT fmi2Status FMI(fmi2NewDiscreteStates)(fmi2Component c, fmi2EventInfo *info) {
    State *now = &((Robot *)c)->now;
    memset(info, 0, sizeof *info);
    if (now->drifted) {
        project(&now->v);
        keep_states(&now->v);
        now->drifted = 0;
        now->stale = 1;
        info->valuesOfContinuousStatesChanged = 1;
    }
    return fmi2OK;
}

EXPORT fmi2Status FMI(fmi2EnterContinuousTimeMode)(fmi2Component c) {
    (void)c;
    return fmi2OK;
}

EXPORT fmi2Status FMI(fmi2CompletedIntegratorStep)(fmi2Component c, fmi2Boolean kept, fmi2Boolean *event,
                                                   fmi2Boolean *ends) {
    Robot *robot = c;
    (void)kept;
    *event = 0;
    *ends = 0;
    if (check_going(robot) != fmi2OK) return fmi2Error;
    if (NX && largest(robot->now.v.gap, NX) > DRIFT * robot->now.v.scale) {
        robot->now.drifted = 1;
        *event = 1;
    }
    return fmi2OK;
}

EXPORT fmi2Status FMI(fmi2SetTime)(fmi2Component c, fmi2Real time) {
    ((Robot *)c)->now.time = time;
    return fmi2OK;
}

static fmi2Status check_size(fmi2Component c, size_t n, size_t wanted, const char *what) {
    if (n == wanted) return fmi2OK;
    return tell(c, fmi2Error, "%u %s were asked for; there are %u", (unsigned)n, what, (unsigned)wanted);
}

EXPORT fmi2Status FMI(fmi2SetContinuousStates)(fmi2Component c, const fmi2Real states[], size_t n) {
    Values *v = &((Robot *)c)->now.v;
    if (check_size(c, n, STATES, "states") != fmi2OK) return fmi2Error;
    for (int i = 0; i < NQ; i++) v->q[i] = states[i], v->q_dot[i] = states[NQ + NX + i];
    for (int i = 0; i < NX; i++) v->x[i] = states[NQ + i], v->x_dot[i] = states[2 * NQ + NX + i];
    ((Robot *)c)->now.stale = 1;
    return fmi2OK;
}

EXPORT fmi2Status FMI(fmi2GetContinuousStates)(fmi2Component c, fmi2Real states[], size_t n) {
    const Values *v = &((Robot *)c)->now.v;
    if (check_size(c, n, STATES, "states") != fmi2OK) return fmi2Error;
    for (int i = 0; i < NQ; i++) states[i] = v->q[i], states[NQ + NX + i] = v->q_dot[i];
    for (int i = 0; i < NX; i++) states[NQ + i] = v->x[i], states[2 * NQ + NX + i] = v->x_dot[i];
    return fmi2OK;
}

EXPORT fmi2Status FMI(fmi2GetDerivatives)(fmi2Component c, fmi2Real rates[], size_t n) {
    Robot *robot = c;
    const Values *v = &robot->now.v;
    if (check_size(c, n, STATES, "derivatives") != fmi2OK || refresh(robot) != fmi2OK) return fmi2Error;
    for (int i = 0; i < NQ; i++) rates[i] = v->q_dot[i], rates[NQ + NX + i] = v->q_ddot[i];
    for (int i = 0; i < NX; i++) rates[NQ + i] = v->x_dot[i], rates[2 * NQ + NX + i] = v->x_ddot[i];
    return fmi2OK;
}

EXPORT fmi2Status FMI(fmi2GetEventIndicators)(fmi2Component c, fmi2Real indicators[], size_t n) {
    (void)indicators;
    return check_size(c, n, 0, "event indicators");
}

EXPORT fmi2Status FMI(fmi2GetNominalsOfContinuousStates)(fmi2Component c, fmi2Real nominals[], size_t n) {
    Values *v = &((Robot *)c)->now.v;
    if (check_size(c, n, STATES, "nominal values") != fmi2OK) return fmi2Error;
    scale(v); /* solvers take their absolute tolerances from these: lengths of the robot's own size */
    for (size_t i = 0; i < n; i++) nominals[i] = LENGTHS[i % (NQ + NX)] ? v->scale : 1.0;
    return fmi2OK;
}

/* Co-simulation -------------------------------------------------------------------------------------------------- */

static void take(Values *v, double h) {
    v->h = h;
    step(v);
    keep_states(v);
    v->work = v->work_next;
}

/* The largest difference of two states over their nominal sizes, of rates over themselves where they are larger. */
static double misfit(const Values *a, const Values *b) {
    double differences[STATES];
    for (int i = 0; i < NQ + NX; i++) {
        const int in_q = i < NQ, k = in_q ? i : i - NQ;
        const double nominal = LENGTHS[i] ? a->scale : 1.0, rate = in_q ? a->q_dot[k] : a->x_dot[k];
        differences[i] = ((in_q ? a->q[k] : a->x[k]) - (in_q ? b->q[k] : b->x[k])) / nominal;
        differences[NQ + NX + i] = (rate - (in_q ? b->q_dot[k] : b->x_dot[k])) / fmax(nominal, fabs(rate));
    }
    return largest(differences, STATES);
}

/* On by h: at once where two half steps agree with it, else in halves. */
static fmi2Status advance(Robot *robot, double h, int depth) {
    State *now = &robot->now;
    const Values before = now->v;
    take(&now->v, h);
    const Values whole = now->v;
    now->v = before;
    take(&now->v, h / 2.0);
    take(&now->v, h / 2.0);
    if (misfit(&whole, &now->v) <= fmax(SHARE * now->tolerance, ROUNDING)) {
        now->v = whole;
        now->time += h;
        now->stale = 1;
        return check_going(robot);
    }
    if (depth == DEEPEST) {
        now->v = before;
        return tell(robot, fmi2Error, "the motion cannot be followed beyond t = %g s: steps of %.1e s still differ "
                    "from their halves; it grows without bound, or meets a singularity", now->time, h);
    }
    now->v = before;
    for (int half = 0; half < 2; half++) {
        const fmi2Status status = advance(robot, h / 2.0, depth + 1);
        if (status != fmi2OK) return status;
    }
    return fmi2OK;
}

EXPORT fmi2Status FMI(fmi2DoStep)(fmi2Component c, fmi2Real start, fmi2Real duration, fmi2Boolean kept) {
    Robot *robot = c;
    State *now = &robot->now;
    const double count = fmax(1.0, ceil(duration / now->v.longest * (1.0 - 1e-9)));
    (void)kept;
    if (!(duration > 0.0) || !(count < 1e9)) {
        return tell(robot, fmi2Error, "a step of %g s in parts of %g s cannot be made", duration, now->v.longest);
    }
    scale(&now->v);
    for (double k = 0.0; k < count; k += 1.0) {
        now->time = start + k * (duration / count);
        if (advance(robot, duration / count, 0) != fmi2OK) return fmi2Error;
    }
    now->time = start + duration;
    return fmi2OK;
}

EXPORT fmi2Status FMI(fmi2CancelStep)(fmi2Component c) {
    return tell(c, fmi2Error, "a step cannot be cancelled: it is made at once");
}

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

EXPORT fmi2Status FMI(fmi2GetStatus)(fmi2Component c, fmi2StatusKind kind, fmi2Status *value) {
    (void)kind;
    (void)value;
    return tell(c, fmi2Discard, "steps are made at once: there is no status to ask for");
}

EXPORT fmi2Status FMI(fmi2GetRealStatus)(fmi2Component c, fmi2StatusKind kind, fmi2Real *value) {
    if (kind != fmi2LastSuccessfulTime) return tell(c, fmi2Discard, "only the last successful time is known");
    *value = ((Robot *)c)->now.time;
    return fmi2OK;
}

#define NO_STATUS(Name, type)                                                                             \
    EXPORT fmi2Status FMI(fmi2Get##Name##Status)(fmi2Component c, fmi2StatusKind kind, type *value) {      \
        (void)kind;                                                                                       \
        (void)value;                                                                                      \
        return tell(c, fmi2Discard, "steps are made at once: there is no status to ask for");             \
    }
NO_STATUS(Integer, fmi2Integer)
NO_STATUS(Boolean, fmi2Boolean)
NO_STATUS(String, fmi2String)
