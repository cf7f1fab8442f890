/* The biglide's map by hand in C: slack, det A, det B and conditioning of all four working modes, rows of a grid at a time.
 *
 * Working modes in the order ++, +-, -+, --. With r_i = (u_i, s_i v_i) from foot i to the tip, v_i = sqrt(l^2 - u_i^2):
 *   det A = 4 (u_1 s_2 v_2 - s_1 v_1 u_2),   det B = 4 s_1 v_1 s_2 v_2,   1/kappa = |det A| / (4 l^2 + 4 |r_1 . r_2|)
 * where both rows of A have the length 2 l. Modes that mirror each other share their work. Lengths are compile-time constants. Every pixel is
 * computed; that this robot's map does not depend on y is used by nobody. Where a leg misses (slack < 0) values are 0.
 */
#include <math.h>
#include <stddef.h>

#ifndef GAUGE
#define GAUGE 0.4
#endif
#ifndef BAR
#define BAR 0.3606
#endif

#if defined(__clang__)
#define INDEPENDENT_ITERATIONS _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define INDEPENDENT_ITERATIONS _Pragma("GCC ivdep")
#else
#define INDEPENDENT_ITERATIONS
#endif

static inline double smaller(double a, double b) { return a < b ? a : b; }
static inline double larger(double a, double b) { return a > b ? a : b; }

#define MAP_ROW(name, real)                                                                                                    \
    static void name(const double *restrict x, double y, size_t n, real *restrict out, size_t plane)                          \
    {                                                                                                                          \
        INDEPENDENT_ITERATIONS                                                                                                 \
        for (size_t k = 0; k < n; k++) {                                                                                       \
            const double u1 = x[k] + GAUGE / 2, u2 = x[k] - GAUGE / 2, a1 = fabs(u1), a2 = fabs(u2);                           \
            const double root1 = sqrt(larger((BAR - a1) * (BAR + a1), 0.0)), root2 = sqrt(larger((BAR - a2) * (BAR + a2), 0.0)); \
            const double slack = smaller(BAR - a1, BAR - a2);                                                                  \
            const double v1 = y - (y - root1), v2 = y - (y - root2); /* the tip's height over its feet */                      \
            const double p = 4 * u1 * v2, m = 4 * v1 * u2, b = 4 * v1 * v2, c = 4 * u1 * u2;                                   \
            const double in = slack >= 0 ? 1.0 : 0.0, d = p - m, s = p + m;                                                    \
            const double same = fabs(d) / (4 * BAR * BAR + fabs(c + b)), mixed = fabs(s) / (4 * BAR * BAR + fabs(c - b));      \
            out[k] = (real)slack;                                                                                              \
            out[k + 1 * plane] = (real)(in * d);                                                                               \
            out[k + 2 * plane] = (real)(in * -s);                                                                              \
            out[k + 3 * plane] = (real)(in * s);                                                                               \
            out[k + 4 * plane] = (real)(in * -d);                                                                              \
            out[k + 5 * plane] = (real)(in * b);                                                                               \
            out[k + 6 * plane] = (real)(in * -b);                                                                              \
            out[k + 7 * plane] = (real)(in * -b);                                                                              \
            out[k + 8 * plane] = (real)(in * b);                                                                               \
            out[k + 9 * plane] = (real)(in * same);                                                                            \
            out[k + 10 * plane] = (real)(in * mixed);                                                                          \
            out[k + 11 * plane] = (real)(in * mixed);                                                                          \
            out[k + 12 * plane] = (real)(in * same);                                                                           \
        }                                                                                                                      \
    }

MAP_ROW(row_float, float)
MAP_ROW(row_double, double)

/* rows first ... last of out (13, height, width) */
void map_float(const double *x, const double *y, size_t width, size_t height, size_t first, size_t last, float *out)
{
    for (size_t j = first; j < last; j++)
        row_float(x, y[j], width, out + j * width, width * height);
}

void map_double(const double *x, const double *y, size_t width, size_t height, size_t first, size_t last, double *out)
{
    for (size_t j = first; j < last; j++)
        row_double(x, y[j], width, out + j * width, width * height);
}
