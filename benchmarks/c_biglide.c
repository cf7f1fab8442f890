/* The biglide by hand in C: a CPython extension module, the speed limit of the benchmarks.
 *
 *   inverse_dynamics(q, q_dot, q_ddot, sign) -> tau
 *   forward_dynamics(q, x, q_dot, x_dot, tau) -> (q_ddot, x_ddot, lam)
 *   all_models(inputs, sign, outputs)        inputs (6, n), outputs (36, n), rows as in biglide.py
 *
 * `sign` is the assembly mode, the sign of det A. The parameters are compile-time constants (-DBAR=... changes them), which no
 * general tool can have: this is C at its best. r_i is the vector from foot i to the tip, w_i its rate; A = 2 [r_1; r_2],
 * B = -2 diag(r_1y, r_2y), and lam solves m_p x_ddot = A' lam.
 */
#define PY_SSIZE_T_CLEAN
#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#include <Python.h>
#include <math.h>
#include <stddef.h>
#include <numpy/arrayobject.h>

#ifndef GAUGE
#define GAUGE 0.4 /* d, distance between the rails [m] */
#endif
#ifndef BAR
#define BAR 0.3606 /* l [m] */
#endif
#ifndef TIP_MASS
#define TIP_MASS 3.0 /* m_p [kg] */
#endif
#ifndef FOOT_MASS
#define FOOT_MASS 1.0 /* m_f [kg] */
#endif

#define INPUTS 6   /* q, q_dot, q_ddot */
#define OUTPUTS 36 /* x, x_dot, x_ddot, phi, phi_dot, phi_ddot, A, B, J, M, c, tau, det A, det B, lam */

#if defined(__clang__)
#define INDEPENDENT_ITERATIONS _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define INDEPENDENT_ITERATIONS _Pragma("GCC ivdep")
#else
#define INDEPENDENT_ITERATIONS
#endif

/* ---- formulas -------------------------------------------------------------------------------------------------------------- */

/* atan2(y, x) without branches: one division, |t| <= tan(pi/8), then atan t = t + t z P(z), z = t t. P is a Chebyshev fit of
 * (atan(t)/t - 1)/z over that interval (error 5e-18), made for this file. Angles at the origin and signs of zero are not handled. */
static inline double angle(double y, double x)
{
    const double ax = fabs(x), ay = fabs(y);
    const double lo = ax < ay ? ax : ay, hi = ax < ay ? ay : ax;
    const int wide = lo > 0.41421356237309503 * hi;
    const double t = (wide ? lo - hi : lo) / (wide ? lo + hi : hi), z = t * t;
    double p = -0.019176872294336067;
    p = p * z + 0.039231646190551486;
    p = p * z - 0.05085449318930035;
    p = p * z + 0.05858148832731273;
    p = p * z - 0.06664511438164644;
    p = p * z + 0.07692183190171728;
    p = p * z - 0.09090904578095735;
    p = p * z + 0.11111111015255669;
    p = p * z - 0.14285714284666534;
    p = p * z + 0.1999999999999552;
    p = p * z - 0.3333333333333333;
    double a = t + t * z * p + (wide ? 0.7853981633974483 : 0.0);
    a = ax < ay ? 1.5707963267948966 - a : a;
    a = x < 0.0 ? 3.141592653589793 - a : a;
    return y < 0.0 ? -a : a;
}

/* tau = m_f q_ddot + m_p J' x_ddot */
static inline void inverse_one(const double *q, const double *v, const double *a, double sign, double *tau)
{
    const double D = q[0] - q[1];
    const double k = sign * sqrt(BAR * BAR / (GAUGE * GAUGE + D * D) - 0.25);
    const double x = k * D, y = 0.5 * (q[0] + q[1]) + k * GAUGE;
    const double r1x = x + GAUGE / 2, r1y = y - q[0], r2x = x - GAUGE / 2, r2y = y - q[1];
    const double inv = 1.0 / (r1x * r2y - r1y * r2x);
    const double J11 = r1y * r2y * inv, J21 = -r2x * r1y * inv, J22 = r1x * r2y * inv; /* J12 = -J11 */
    const double vx = J11 * (v[0] - v[1]), vy = J21 * v[0] + J22 * v[1];
    const double w1 = vx * vx + (vy - v[0]) * (vy - v[0]), w2 = vx * vx + (vy - v[1]) * (vy - v[1]);
    const double fx = TIP_MASS * (J11 * (a[0] - a[1]) - (r2y * w1 - r1y * w2) * inv);
    const double fy = TIP_MASS * (J21 * a[0] + J22 * a[1] - (r1x * w2 - r2x * w1) * inv);
    tau[0] = FOOT_MASS * a[0] + J11 * fx + J21 * fy;
    tau[1] = FOOT_MASS * a[1] - J11 * fx + J22 * fy;
}

/* Multipliers from G M^-1 G' lam = -g - G M^-1 (tau, 0), G = [B A], then the accelerations: regular through Type 2. */
static inline void forward_one(const double *q, const double *x, const double *v, const double *u, const double *tau, double *a,
                               double *b, double *lam)
{
    const double r1x = x[0] + GAUGE / 2, r1y = x[1] - q[0], r2x = x[0] - GAUGE / 2, r2y = x[1] - q[1];
    const double w1y = u[1] - v[0], w2y = u[1] - v[1];
    const double s11 = r1y * r1y / FOOT_MASS + (r1x * r1x + r1y * r1y) / TIP_MASS;
    const double s22 = r2y * r2y / FOOT_MASS + (r2x * r2x + r2y * r2y) / TIP_MASS;
    const double s12 = (r1x * r2x + r1y * r2y) / TIP_MASS;
    const double g1 = r1y * tau[0] / FOOT_MASS - (u[0] * u[0] + w1y * w1y);
    const double g2 = r2y * tau[1] / FOOT_MASS - (u[0] * u[0] + w2y * w2y);
    const double inv = 1.0 / (s11 * s22 - s12 * s12);
    const double f1 = (s22 * g1 - s12 * g2) * inv, f2 = (s11 * g2 - s12 * g1) * inv; /* f = 2 lam */
    a[0] = (tau[0] - r1y * f1) / FOOT_MASS;
    a[1] = (tau[1] - r2y * f2) / FOOT_MASS;
    b[0] = (r1x * f1 + r2x * f2) / TIP_MASS;
    b[1] = (r1y * f1 + r2y * f2) / TIP_MASS;
    lam[0] = 0.5 * f1;
    lam[1] = 0.5 * f2;
}

#define IN(k) in[(k) * from + i]
#define OUT(k) out[(k) * to + i]

/* Every model of n states, one row per quantity, rows `from` and `to` elements apart. No branches and no overlap between
 * rows (which the compiler is told), so the loop becomes SIMD; -fopt-info-vec says "vectorized using 32 byte vectors". Writing
 * the rows directly took half the time of computing blocks in a scratch area and copying them out. */
static void batch(ptrdiff_t n, const double *restrict in, ptrdiff_t from, double sign, double *restrict out, ptrdiff_t to)
{
INDEPENDENT_ITERATIONS
    for (ptrdiff_t i = 0; i < n; i++) {
        const double q1 = IN(0), q2 = IN(1), v1 = IN(2), v2 = IN(3), a1 = IN(4), a2 = IN(5);
        const double D = q1 - q2;
        const double k = sign * sqrt(BAR * BAR / (GAUGE * GAUGE + D * D) - 0.25);
        const double x = k * D, y = 0.5 * (q1 + q2) + k * GAUGE;
        const double r1x = x + GAUGE / 2, r1y = y - q1, r2x = x - GAUGE / 2, r2y = y - q2;
        const double det = r1x * r2y - r1y * r2x, inv = 1.0 / det;
        const double J11 = r1y * r2y * inv, J21 = -r2x * r1y * inv, J22 = r1x * r2y * inv; /* J12 = -J11 */
        const double vx = J11 * (v1 - v2), vy = J21 * v1 + J22 * v2;
        const double w1y = vy - v1, w2y = vy - v2;
        const double w1 = vx * vx + w1y * w1y, w2 = vx * vx + w2y * w2y;
        const double bx = (r1y * w2 - r2y * w1) * inv, by = (r2x * w1 - r1x * w2) * inv;
        const double ax = J11 * (a1 - a2) + bx, ay = J21 * a1 + J22 * a2 + by;
        const double per_l2 = 1.0 / (BAR * BAR);
        OUT(0) = x, OUT(1) = y;
        OUT(2) = vx, OUT(3) = vy;
        OUT(4) = ax, OUT(5) = ay;
        OUT(6) = angle(r1y, r1x), OUT(7) = angle(r2y, r2x);
        OUT(8) = (r1x * w1y - r1y * vx) * per_l2, OUT(9) = (r2x * w2y - r2y * vx) * per_l2;
        OUT(10) = (r1x * (ay - a1) - r1y * ax) * per_l2, OUT(11) = (r2x * (ay - a2) - r2y * ax) * per_l2;
        OUT(12) = 2 * r1x, OUT(13) = 2 * r1y, OUT(14) = 2 * r2x, OUT(15) = 2 * r2y; /* A */
        OUT(16) = -2 * r1y, OUT(17) = 0.0, OUT(18) = 0.0, OUT(19) = -2 * r2y; /* B */
        OUT(20) = J11, OUT(21) = -J11, OUT(22) = J21, OUT(23) = J22; /* J */
        const double M12 = TIP_MASS * (J21 * J22 - J11 * J11);
        OUT(24) = FOOT_MASS + TIP_MASS * (J11 * J11 + J21 * J21), OUT(25) = M12, OUT(26) = M12; /* M */
        OUT(27) = FOOT_MASS + TIP_MASS * (J11 * J11 + J22 * J22);
        OUT(28) = TIP_MASS * (J11 * bx + J21 * by), OUT(29) = TIP_MASS * (J22 * by - J11 * bx); /* c */
        OUT(30) = FOOT_MASS * a1 + TIP_MASS * (J11 * ax + J21 * ay); /* tau */
        OUT(31) = FOOT_MASS * a2 + TIP_MASS * (J22 * ay - J11 * ax);
        OUT(32) = 4 * det, OUT(33) = 4 * r1y * r2y; /* det A, det B */
        const double f = 0.5 * TIP_MASS * inv;
        OUT(34) = f * (r2y * ax - r2x * ay), OUT(35) = f * (r1x * ay - r1y * ax); /* lam */
    }
}

/* ---- Python ---------------------------------------------------------------------------------------------------------------- */

/* A new reference to the argument as two contiguous doubles, or NULL with an error set. */
static inline PyArrayObject *pair(PyObject *object)
{
    PyArrayObject *array;
    if (PyArray_CheckExact(object) && PyArray_TYPE((PyArrayObject *)object) == NPY_DOUBLE &&
        PyArray_ISCARRAY_RO((PyArrayObject *)object))
        array = (PyArrayObject *)Py_NewRef(object);
    else
        array = (PyArrayObject *)PyArray_FROM_OTF(object, NPY_DOUBLE, NPY_ARRAY_CARRAY_RO);
    if (array != NULL && (PyArray_NDIM(array) != 1 || PyArray_DIM(array, 0) != 2)) {
        Py_DECREF(array);
        PyErr_SetString(PyExc_ValueError, "expected an array of shape (2,)");
        return NULL;
    }
    return array;
}

/* Reads `count` pairs into `array`; on failure nothing stays referenced. */
static inline int pairs(PyObject *const *args, int count, PyArrayObject **array)
{
    for (int k = 0; k < count; k++) {
        array[k] = pair(args[k]);
        if (array[k] == NULL) {
            while (k-- > 0)
                Py_DECREF(array[k]);
            return -1;
        }
    }
    return 0;
}

static inline const double *data(PyArrayObject *array) { return (const double *)PyArray_DATA(array); }

static int wrong_count(const char *name, Py_ssize_t given, Py_ssize_t wanted)
{
    if (given == wanted)
        return 0;
    PyErr_Format(PyExc_TypeError, "%s takes %zd arguments, %zd given", name, wanted, given);
    return 1;
}

static PyObject *inverse_dynamics(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    PyArrayObject *in[3];
    npy_intp two = 2;
    if (wrong_count("inverse_dynamics", count, 4))
        return NULL;
    const double sign = PyFloat_AsDouble(args[3]);
    if ((sign == -1.0 && PyErr_Occurred()) || pairs(args, 3, in) < 0)
        return NULL;
    PyObject *tau = PyArray_SimpleNew(1, &two, NPY_DOUBLE);
    if (tau != NULL)
        inverse_one(data(in[0]), data(in[1]), data(in[2]), sign, PyArray_DATA((PyArrayObject *)tau));
    for (int k = 0; k < 3; k++)
        Py_DECREF(in[k]);
    return tau;
}

static PyObject *forward_dynamics(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    PyArrayObject *in[5];
    npy_intp two = 2;
    if (wrong_count("forward_dynamics", count, 5) || pairs(args, 5, in) < 0)
        return NULL;
    PyObject *result = PyTuple_New(3);
    double *out[3];
    for (int k = 0; k < 3 && result != NULL; k++) {
        PyObject *array = PyArray_SimpleNew(1, &two, NPY_DOUBLE);
        if (array == NULL)
            Py_CLEAR(result);
        else {
            out[k] = PyArray_DATA((PyArrayObject *)array);
            PyTuple_SET_ITEM(result, k, array);
        }
    }
    if (result != NULL)
        forward_one(data(in[0]), data(in[1]), data(in[2]), data(in[3]), data(in[4]), out[0], out[1], out[2]);
    for (int k = 0; k < 5; k++)
        Py_DECREF(in[k]);
    return result;
}

/* The array if it is (rows, n) doubles whose rows are contiguous, else NULL with an error set. */
static PyArrayObject *rows(PyObject *object, npy_intp count, const char *name)
{
    PyArrayObject *array = (PyArrayObject *)object;
    if (PyArray_Check(object) && PyArray_TYPE(array) == NPY_DOUBLE && PyArray_ISBEHAVED_RO(array) && PyArray_NDIM(array) == 2 &&
        PyArray_DIM(array, 0) == count && (PyArray_DIM(array, 1) < 2 || PyArray_STRIDE(array, 1) == sizeof(double)))
        return array;
    PyErr_Format(PyExc_ValueError, "%s must be a (%zd, n) array of doubles with contiguous rows", name, (Py_ssize_t)count);
    return NULL;
}

static PyObject *all_models(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    if (wrong_count("all_models", count, 3))
        return NULL;
    const double sign = PyFloat_AsDouble(args[1]);
    if (sign == -1.0 && PyErr_Occurred())
        return NULL;
    PyArrayObject *in = rows(args[0], INPUTS, "inputs"), *out = in == NULL ? NULL : rows(args[2], OUTPUTS, "outputs");
    if (out == NULL)
        return NULL;
    if (PyArray_DIM(in, 1) != PyArray_DIM(out, 1) || !PyArray_ISWRITEABLE(out)) {
        PyErr_SetString(PyExc_ValueError, "outputs must be writeable and have as many columns as inputs");
        return NULL;
    }
    const double *source = PyArray_DATA(in);
    double *target = PyArray_DATA(out);
    const ptrdiff_t n = PyArray_DIM(in, 1), from = PyArray_STRIDE(in, 0) / 8, to = PyArray_STRIDE(out, 0) / 8;
    Py_BEGIN_ALLOW_THREADS;
    batch(n, source, from, sign, target, to);
    Py_END_ALLOW_THREADS;
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"inverse_dynamics", (PyCFunction)(void (*)(void))inverse_dynamics, METH_FASTCALL, "tau of (q, q_dot, q_ddot, sign)"},
    {"forward_dynamics", (PyCFunction)(void (*)(void))forward_dynamics, METH_FASTCALL,
     "(q_ddot, x_ddot, lam) of (q, x, q_dot, x_dot, tau)"},
    {"all_models", (PyCFunction)(void (*)(void))all_models, METH_FASTCALL, "fill outputs (36, n) from inputs (6, n), sign"},
    {NULL, NULL, 0, NULL},
};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "c_biglide", "The biglide in C.", -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_c_biglide(void)
{
    import_array();
    return PyModule_Create(&definition);
}
