/* Computed torque on the biglide by hand in C: the whole closed loop, the speed limit of the benchmarks.
 *
 * The same work as closedchain's loop: at each step the law of seed 000 (eq 53) with the model's own direct geometry, one
 * step of RK4 in z = (q, x) with multipliers and the work of the efforts, then a projection of z and of its rates onto the
 * closures, weighed by mass. The parameters are compile-time constants.
 */
#include <math.h>
#include <stddef.h>

#define GAUGE 0.4      /* d, distance between the rails [m] */
#define BAR 0.3606     /* l [m] */
#define TIP_MASS 3.0   /* m_p [kg] */
#define FOOT_MASS 1.0  /* m_f [kg] */
#define NY 9           /* q, x, their rates, work */
#define ROW 11         /* the state and the command that holds from it on */

/* tau = M a + c with the model's own tip above the feet */
static inline void efforts(const double *q, const double *v, const double *a, double *tau)
{
    const double D = q[0] - q[1];
    const double k = sqrt(BAR * BAR / (GAUGE * GAUGE + D * D) - 0.25);
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

/* s = G M^-1 G' solved for two right sides g: G_i = (-r_iy at q_i, r_ix, r_iy), half of the closure's gradient */
static inline void multipliers(const double *y, double g1, double g2, double *r, double *f)
{
    r[0] = y[2] + GAUGE / 2, r[1] = y[3] - y[0], r[2] = y[2] - GAUGE / 2, r[3] = y[3] - y[1];
    const double s11 = r[1] * r[1] / FOOT_MASS + (r[0] * r[0] + r[1] * r[1]) / TIP_MASS;
    const double s22 = r[3] * r[3] / FOOT_MASS + (r[2] * r[2] + r[3] * r[3]) / TIP_MASS;
    const double s12 = (r[0] * r[2] + r[1] * r[3]) / TIP_MASS;
    const double inv = 1.0 / (s11 * s22 - s12 * s12);
    f[0] = (s22 * g1 - s12 * g2) * inv, f[1] = (s11 * g2 - s12 * g1) * inv;
}

/* M^-1 G' f */
static inline void respond(const double *r, const double *f, double *d)
{
    d[0] = -r[1] * f[0] / FOOT_MASS, d[1] = -r[3] * f[1] / FOOT_MASS;
    d[2] = (r[0] * f[0] + r[2] * f[1]) / TIP_MASS, d[3] = (r[1] * f[0] + r[3] * f[1]) / TIP_MASS;
}

/* rate of y = (q, x, q_dot, x_dot, work) under held efforts */
static inline void flow(const double *y, const double *tau, double *rate)
{
    double r[4], f[2];
    const double w1 = y[7] - y[4], w2 = y[7] - y[5], u2 = y[6] * y[6];
    const double r1y = y[3] - y[0], r2y = y[3] - y[1];
    multipliers(y, r1y * tau[0] / FOOT_MASS - (u2 + w1 * w1), r2y * tau[1] / FOOT_MASS - (u2 + w2 * w2), r, f);
    for (int i = 0; i < 4; i++) rate[i] = y[4 + i];
    respond(r, f, rate + 4);
    rate[4] += tau[0] / FOOT_MASS, rate[5] += tau[1] / FOOT_MASS;
    rate[8] = tau[0] * y[4] + tau[1] * y[5];
}

static inline void project(double *y)
{
    double r[4], f[2], d[4];
    const double r1x = y[2] + GAUGE / 2, r1y = y[3] - y[0], r2x = y[2] - GAUGE / 2, r2y = y[3] - y[1];
    multipliers(y, -0.5 * (r1x * r1x + r1y * r1y - BAR * BAR), -0.5 * (r2x * r2x + r2y * r2y - BAR * BAR), r, f);
    respond(r, f, d);
    for (int i = 0; i < 4; i++) y[i] += d[i];
    const double s1 = (y[2] + GAUGE / 2) * y[6] + (y[3] - y[0]) * (y[7] - y[4]);
    const double s2 = (y[2] - GAUGE / 2) * y[6] + (y[3] - y[1]) * (y[7] - y[5]);
    multipliers(y, -s1, -s2, r, f);
    respond(r, f, d);
    for (int i = 0; i < 4; i++) y[4 + i] += d[i];
}

/* `steps` periods of h from y; ref holds q, q_dot, q_ddot of each; rows of the history where it is not NULL. y ends as the state.*/
void loop(size_t steps, const double *ref, double kp, double kd, double h, double *y, double *history)
{
    double tau[2] = {0.0, 0.0};
    for (size_t k = 0; k < steps; k++, ref += 6) {
        double a[2], k1[NY], k2[NY], k3[NY], k4[NY], z[NY];
        for (int i = 0; i < 2; i++) a[i] = ref[4 + i] + kd * (ref[2 + i] - y[4 + i]) + kp * (ref[i] - y[i]);
        efforts(y, y + 4, a, tau);
        if (history) {
            for (int i = 0; i < NY; i++) history[k * ROW + i] = y[i];
            history[k * ROW + 9] = tau[0], history[k * ROW + 10] = tau[1];
        }
        flow(y, tau, k1);
        for (int i = 0; i < NY; i++) z[i] = y[i] + 0.5 * h * k1[i];
        flow(z, tau, k2);
        for (int i = 0; i < NY; i++) z[i] = y[i] + 0.5 * h * k2[i];
        flow(z, tau, k3);
        for (int i = 0; i < NY; i++) z[i] = y[i] + h * k3[i];
        flow(z, tau, k4);
        for (int i = 0; i < NY; i++) y[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
        project(y);
    }
}

/* q, q_dot, q_ddot of a quintic of the tip from rest at (x0, y0) to rest at (x1, y1), legs above their feet, (steps, 6) */
void reference(size_t steps, double h, double T, const double *from, const double *to, double *ref)
{
    for (size_t k = 0; k < steps; k++, ref += 6) {
        const double s = (double)k * h / T, s2 = s * s, s3 = s2 * s;
        const double p = s3 * (10.0 - 15.0 * s + 6.0 * s2), v = 30.0 * s2 * (1.0 - 2.0 * s + s2) / T;
        const double a = 60.0 * s * (1.0 - 3.0 * s + 2.0 * s2) / (T * T);
        const double dx = to[0] - from[0], dy = to[1] - from[1];
        for (int i = 0; i < 2; i++) {
            const double w = from[0] + dx * p + (i ? -GAUGE / 2 : GAUGE / 2);
            const double r = sqrt(BAR * BAR - w * w), u = dx * v;
            ref[i] = from[1] + dy * p - r;
            ref[2 + i] = dy * v + w * u / r;
            ref[4 + i] = dy * a + (u * u + w * dx * a) / r + w * w * u * u / (r * r * r);
        }
    }
}
