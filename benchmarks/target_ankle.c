/* The ankle's header on random inputs inside its range, against geometry by hand with the C library's functions.
 * Prints: inputs, how many the rods reach, wrong or refused answers of both maps, largest errors [rad], and seconds of
 * processor time per call of each. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "ankle_g1.h"

static const double CENTRE[2][3] = {{0.035, 0.0, 0.15087}, {0.0395, 0.0, 0.21587}};
static const double END[2][3] = {{0.035, 0.01653, 0.1469}, {0.0395, -0.01636, 0.21125}};
static const double FOOT[2][3] = {{0.022, 0.015, 0.008}, {0.022, -0.015, 0.008}};
static const double ROD[2] = {0.15700660018, 0.22150655905}, BELOW = 0.01756;
static const double LOW[2] = {LOW_PITCH, LOW_ROLL}, HIGH[2] = {HIGH_PITCH, HIGH_ROLL};
enum { BLOCK = 4096 };

static uint64_t seed = 0x9E3779B97F4A7C15u;
static double uniform(void) { /* xorshift64* */
    seed ^= seed >> 12, seed ^= seed << 25, seed ^= seed >> 27;
    return (double)((seed * 0x2545F4914F6CDD1Du) >> 11) * 0x1p-53;
}

/* A crank about x that ends at END for q = 0: the angle at which its end is a rod's length from the foot's joint, by
 * the law of cosines in the crank's plane; of both the one nearer to zero turn on this assembly (knees outward). */
static int by_hand(const double y[2], double q[2], double *room) {
    *room = 1.0;
    for (int k = 0; k < 2; k++) {
        const double *p = FOOT[k], cr = cos(y[1]), sr = sin(y[1]), cp = cos(y[0]), sp = sin(y[0]);
        const double py = cr * p[1] - sr * p[2], pz = sr * p[1] + cr * p[2] - BELOW;
        const double P[3] = {cp * p[0] + sp * pz, py, -sp * p[0] + cp * pz};
        const double dx = P[0] - CENTRE[k][0], dy = P[1] - CENTRE[k][1], dz = P[2] - CENTRE[k][2];
        const double ey = END[k][1] - CENTRE[k][1], ez = END[k][2] - CENTRE[k][2], r = hypot(ey, ez), d = hypot(dy, dz);
        const double flat = ROD[k] * ROD[k] - dx * dx; /* the rod's length in the crank's plane, squared */
        const double c = (r * r + d * d - flat) / (2 * r * d);
        if (!(fabs(c) <= 1.0)) {
            return 0;
        }
        *room = fmin(*room, 1.0 - c * c);
        const double side = k == 0 ? 1.0 : -1.0;
        q[k] = remainder(atan2(dz, dy) + side * acos(c) - atan2(ez, ey), 2 * 3.14159265358979323846);
    }
    return 1;
}

int main(int argc, char **argv) {
    const long count = argc > 1 ? atol(argv[1]) : 1000000;
    static double joints[BLOCK][2], motors[BLOCK][2], made[BLOCK][2], back[BLOCK][2];
    static int told[BLOCK], told_back[BLOCK];
    double rooms[BLOCK], worst = 0, worst_back = 0, direct = 0, inverse = 0;
    long reached = 0, edge = 0, wrong = 0, wrong_back = 0, refused = 0, refused_back = 0;
    for (long done = 0; done < count; done += BLOCK) {
        for (int i = 0; i < BLOCK; i++) {
            do {
                for (int k = 0; k < 2; k++) {
                    joints[i][k] = LOW[k] + (HIGH[k] - LOW[k]) * uniform();
                }
                edge++;
            } while (!by_hand(joints[i], motors[i], &rooms[i]));
            edge--;
        }
        clock_t t = clock();
        for (int i = 0; i < BLOCK; i++) {
            told[i] = ankle_g1_motor_to_joint(motors[i], made[i], NULL);
        }
        direct += (double)(clock() - t) / CLOCKS_PER_SEC;
        t = clock();
        for (int i = 0; i < BLOCK; i++) {
            told_back[i] = ankle_g1_joint_to_motor(joints[i], back[i], NULL);
        }
        inverse += (double)(clock() - t) / CLOCKS_PER_SEC;
        for (int i = 0; i < BLOCK; i++) {
            reached++;
            const double e = fmax(fabs(made[i][0] - joints[i][0]), fabs(made[i][1] - joints[i][1]));
            const double f = fmax(fabs(back[i][0] - motors[i][0]), fabs(back[i][1] - motors[i][1]));
            refused += !told[i], refused_back += !told_back[i];
            wrong += told[i] && !(e < 1e-6), wrong_back += told_back[i] && !(f < 1e-6);
            worst = told[i] && e > worst ? e : worst;
            worst_back = told_back[i] && rooms[i] > 1e-4 && f > worst_back ? f : worst_back;
        }
    }
    printf("%ld %ld %ld %ld %.3e %ld %ld %.3e %.3e %.3e\n", reached, edge, wrong, refused, worst, wrong_back,
           refused_back, worst_back, direct / (double)reached, inverse / (double)reached);
    return 0;
}
