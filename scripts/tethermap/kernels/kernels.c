/* The loops that Python is too slow for: areas of a ligand's atoms, points and rays around a linker's first atom. A
   Python extension module so that setuptools compiles it: library.py calls the functions through ctypes, which pass
   numbers and arrays only, and checks the arrays. Every function is one expression after another in double precision,
   compiled without contraction or reordering, so that results are the same on every machine. Levels number nested sets of
   atoms from 0: a larger set contains the effects of the smaller ones. */

#include <Python.h>

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846
#define FULL (2.0 * PI)
#define SHELLS 32 /* one per ray, plus one for all keys beyond */
#define NEAR 3.0  /* nearby places share the search for their neighbours: those of one anchor */

/* An arc of a circle, from begin to end in radians, 0 <= begin <= end <= 2 pi. */
typedef struct {
    double begin, end;
} arc;

/* Another sphere as seen from the atom whose area is computed. */
typedef struct {
    double z, radius, across, towards; /* height, radius, distance in the plane, direction of the far side */
    double squared;                    /* the square of its distance */
    int level, first;                  /* level; whether it gets the surface if both coincide */
} neighbour;

/* Order of neighbours: by level, then the nearest first. The union of arcs does not depend on the order, but it covers
   a whole circle soonest in this one. */
static int in_order(const void *one, const void *other)
{
    const neighbour *a = one, *b = other;
    if (a->level != b->level)
        return a->level < b->level ? -1 : 1;
    return a->squared < b->squared ? -1 : a->squared > b->squared;
}

/* Add an arc to sorted arcs that don't touch each other, united with those that it touches; return their number. */
static int unite(arc *arcs, int n, double begin, double end)
{
    int first = 0;
    while (first < n && arcs[first].end < begin)
        first++;
    int after = first;
    for (; after < n && arcs[after].begin <= end; after++) {
        begin = arcs[after].begin < begin ? arcs[after].begin : begin;
        end = arcs[after].end > end ? arcs[after].end : end;
    }
    if (after != first + 1)
        memmove(arcs + first + 1, arcs + after, (size_t)(n - after) * sizeof *arcs);
    arcs[first] = (arc){begin, end};
    return n + first + 1 - after;
}

/* Length of a unit circle outside sorted arcs that don't touch. */
static double open_length(const arc *arcs, int n)
{
    if (n == 0)
        return FULL;
    double open = arcs[0].begin;
    for (int i = 1; i < n; i++)
        open += arcs[i].begin - arcs[i - 1].end;
    return open + FULL - arcs[n - 1].end;
}

/* Whether an arc around a direction, of half an angle whose cosine is given, is certainly within one of the arcs:
   tested with a larger angle that is faster to compute. */
static int lies_within(const arc *arcs, int n, double towards, double cosine)
{
    double most = cosine < 0 ? PI - sqrt(2 * (1 + cosine)) : 0.5 * PI * sqrt(1 - cosine);
    double begin = towards - most - 1e-9, end = towards + most + 1e-9;
    for (int i = 0; i < n && arcs[i].begin <= begin; i++)
        if (end <= arcs[i].end)
            return 1;
    return 0;
}

/* Add the arc that another sphere covers of a circle at a height; return the number of arcs, -1 if it covers the
   circle. */
static int cover(const neighbour *other, double z, double radius, double squared, arc *arcs, int n)
{
    double away = fabs(other->z - z);
    if (away >= other->radius)
        return n;
    double other_squared = other->radius * other->radius - away * away, other_radius = sqrt(other_squared);
    double across = other->across;
    if (across >= radius + other_radius)
        return n;
    if (across + radius < other_radius)
        return -1;
    if (across + other_radius < radius)
        return n;
    if (across == 0.0) /* one circle */
        return other->first ? -1 : n;
    double cosine = (squared + across * across - other_squared) / (2.0 * radius * across);
    if (cosine >= 1.0)
        return n;
    if (cosine <= -1.0)
        return -1;
    if (lies_within(arcs, n, other->towards, cosine))
        return n;
    double half = acos(cosine), begin = other->towards - half, end = other->towards + half;
    if (begin < 0)
        begin += FULL;
    if (end > FULL)
        end -= FULL;
    if (end < begin) {
        n = unite(arcs, n, 0.0, end);
        n = unite(arcs, n, begin, FULL);
    } else {
        n = unite(arcs, n, begin, end);
    }
    return n == 1 && arcs[0].begin <= 0.0 && arcs[0].end >= FULL ? -1 : n;
}

/* Areas of one atom among its neighbours, sorted by level, for each level; a larger set never adds area. */
static void atom_areas(double z, double radius, const neighbour *near, int n_near, arc *arcs, int64_t slices,
                       int64_t n_levels, double *areas, int64_t stride)
{
    double step = 2 * radius / slices, height = z - radius - 0.5 * step;
    for (int64_t slice = 0; slice < slices; slice++) {
        height += step;
        double away = fabs(z - height), squared = radius * radius - away * away;
        if (squared <= 0)
            continue;
        double circle = sqrt(squared), open = FULL;
        int n = 0, k = 0;
        for (int level = 0; level < n_levels; level++) {
            int known = k;
            for (; k < n_near && near[k].level == level && n >= 0; k++)
                n = cover(&near[k], height, circle, squared, arcs, n);
            if (n < 0)
                break;
            if (k > known)
                open = open_length(arcs, n);
            areas[level * stride] += step * radius * open;
        }
    }
    for (int level = 1; level < n_levels; level++)
        if (areas[level * stride] > areas[(level - 1) * stride])
            areas[level * stride] = areas[(level - 1) * stride];
}

/* Areas by Lee and Richards of the first atoms among the sets of level 0, 0 and 1, and so on. xyz (n_atoms, 3); radii
   with the probe; level (n_atoms) in 0 .. n_levels - 1; areas (n_levels, n_wanted), zeros. If atoms coincide, the largest
   (then the first) gets the surface. Returns -1 without memory. */
int lee_richards(int64_t n_wanted, int64_t n_atoms, const double *xyz, const double *radii, const int8_t *level,
                 int64_t n_levels, int64_t slices, double *areas)
{
    neighbour *near = malloc((n_atoms + 1) * sizeof *near);
    arc *arcs = malloc((2 * n_atoms + 1) * sizeof *arcs);
    if (near == NULL || arcs == NULL) {
        free(near);
        free(arcs);
        return -1;
    }
    for (int64_t i = 0; i < n_wanted; i++) {
        const double *own = xyz + 3 * i;
        int n_near = 0;
        for (int64_t j = 0; j < n_atoms; j++) {
            double x = xyz[3 * j] - own[0], y = xyz[3 * j + 1] - own[1], z = xyz[3 * j + 2] - own[2];
            double reach = radii[i] + radii[j];
            double apart = x * x + y * y + z * z;
            if (apart < reach * reach && j != i)
                near[n_near++] = (neighbour){xyz[3 * j + 2], radii[j], sqrt(x * x + y * y), atan2(y, x) + PI,
                                             apart, level[j], j < i};
        }
        qsort(near, n_near, sizeof *near, in_order);
        atom_areas(own[2], radii[i], near, n_near, arcs, slices, n_levels, areas + i, n_wanted);
    }
    free(near);
    free(arcs);
    return 0;
}

/* An atom in the way, relative to a place. */
typedef struct {
    double x, y, z, squared, reach; /* its place, the square of its distance, how near it lets the centre of a sphere */
    int level, key;                   /* level; position in the order */
} obstacle;

/* The square of the distance of two points. */
static double apart(const double *one, const double *other)
{
    double x = one[0] - other[0], y = one[1] - other[1], z = one[2] - other[2];
    return x * x + y * y + z * z;
}

/* The atoms that may reach within a distance of all places near one of them, by their numbers. */
typedef struct {
    const double *centre; /* that place; NULL before the first */
    int *number, n;
} vicinity;

/* Collect the atoms that reach within a distance of a place; return their number. Consecutive places are usually close,
   so the atoms around the last one are cached. */
static int obstacles_near(const double *place, double distance, int64_t n_atoms, const double *xyz,
                          const double *reach, const int8_t *level, const uint8_t *ignored, vicinity *around,
                          obstacle *found)
{
    if (around->centre == NULL || apart(place, around->centre) > NEAR * NEAR) {
        around->centre = place;
        around->n = 0;
        for (int64_t j = 0; j < n_atoms; j++) {
            double most = distance + reach[j] + 1.01 * NEAR; /* a hundredth for the rounding of both distances */
            around->number[around->n] = (int)j;
            around->n += apart(xyz + 3 * j, place) < most * most;
        }
    }
    int n = 0;
    for (int k = 0; k < around->n; k++) {
        int j = around->number[k];
        if (ignored != NULL && ignored[j])
            continue;
        double x = xyz[3 * j] - place[0], y = xyz[3 * j + 1] - place[1], z = xyz[3 * j + 2] - place[2];
        double squared = x * x + y * y + z * z, most = distance + reach[j];
        if (squared < most * most)
            found[n++] = (obstacle){x, y, z, squared, reach[j], level[j], 0};
    }
    return n;
}

/* Sort obstacles by their keys, which are below n_keys; starts has n_keys + 1 elements. */
static void by_key(const obstacle *found, int n, int n_keys, int *starts, obstacle *ordered)
{
    memset(starts, 0, ((size_t)n_keys + 1) * sizeof *starts);
    for (int j = 0; j < n; j++)
        starts[found[j].key + 1]++;
    for (int key = 0; key < n_keys; key++)
        starts[key + 1] += starts[key];
    for (int j = 0; j < n; j++)
        ordered[starts[found[j].key]++] = found[j];
}

/* Rotate points given in a frame, whose axes are its rows; the coordinates of the results are separate arrays. */
static void turn(const double *points, int64_t n, const double *frame, double length, double *out)
{
    for (int axis = 0; axis < 3; axis++)
        for (int64_t k = 0; k < n; k++)
            out[axis * n + k] = length * (points[3 * k] * frame[axis] + points[3 * k + 1] * frame[3 + axis] +
                                          points[3 * k + 2] * frame[6 + axis]);
}

/* Points that are not covered yet: coordinates as separate arrays, and their numbers. */
typedef struct {
    double *x, *y, *z;
    int *number, n;
} point_set;

static void keep(point_set *left, int from, int to)
{
    left->x[to] = left->x[from];
    left->y[to] = left->y[from];
    left->z[to] = left->z[from];
    left->number[to] = left->number[from];
}

/* Mark the points that an obstacle covers; return their number. */
static int covered_by(const obstacle *one, const point_set *left, int *hit)
{
    double at_x = one->x, at_y = one->y, at_z = one->z, reached = one->reach * one->reach;
    int n = 0;
    for (int m = 0; m < left->n; m++) {
        double x = left->x[m] - at_x, y = left->y[m] - at_y, z = left->z[m] - at_z;
        hit[m] = x * x + y * y + z * z <= reached;
        n += hit[m];
    }
    return n;
}

/* Set the level of the marked points and skip them from now on. */
static void take_out(point_set *left, const int *hit, int8_t level, int8_t *covered)
{
    int kept = 0;
    for (int m = 0; m < left->n; m++) {
        if (hit[m])
            covered[left->number[m]] = level;
        keep(left, m, kept);
        kept += !hit[m];
    }
    left->n = kept;
}

/* Rank of an obstacle by the part of a sphere around the origin that it covers: 0 covers most, SHELLS - 1 least. */
static int cap_of(const obstacle *one, double radius)
{
    double across = 2 * radius * sqrt(one->squared), past = one->squared + radius * radius - one->reach * one->reach;
    return past <= -across ? 0 : past >= across ? SHELLS - 1 : (int)(0.5 * SHELLS * (1 + past / across));
}

/* For each point on a sphere around each place: the first level with an atom that covers it, n_levels if none does.
   places (n, 3); frames (n, 3, 3); points (n_points, 3) on the unit sphere; reach (n_atoms): smallest distance of an atom
   to an uncovered point; ignored (n, n_atoms) or NULL; covered (n, n_points). Returns -1 without memory. */
int covered_points(int64_t n, const double *places, const double *frames, int64_t n_points, const double *points,
                   double radius, int64_t n_atoms, const double *xyz, const double *reach, const int8_t *level,
                   const uint8_t *ignored, int64_t n_levels, int8_t *covered)
{
    int n_keys = (int)n_levels * SHELLS;
    obstacle *found = malloc((2 * n_atoms + 1) * sizeof *found), *near = found + n_atoms;
    double *turned = malloc((3 * n_points + 1) * sizeof *turned);
    int *starts = malloc((n_keys + 1 + 2 * n_points + n_atoms + 1) * sizeof *starts), *hit = starts + n_keys + 1;
    vicinity around = {NULL, hit + 2 * n_points, 0};
    point_set left = {turned, turned + n_points, turned + 2 * n_points, hit + n_points, 0};
    int failed = found == NULL || turned == NULL || starts == NULL;
    for (int64_t i = 0; i < n && !failed; i++) {
        int n_near = obstacles_near(places + 3 * i, radius, n_atoms, xyz, reach, level,
                                    ignored == NULL ? NULL : ignored + i * n_atoms, &around, found);
        for (int j = 0; j < n_near; j++) /* atoms that cover most points are tested first, to leave fewer points to the others */
            found[j].key = found[j].level * SHELLS + cap_of(&found[j], radius);
        by_key(found, n_near, n_keys, starts, near);
        turn(points, n_points, frames + 9 * i, radius, turned);
        left.n = (int)n_points;
        for (int k = 0; k < n_points; k++)
            left.number[k] = k;
        for (int64_t k = 0; k < n_points; k++)
            covered[i * n_points + k] = (int8_t)n_levels;
        for (int j = 0; j < n_near && left.n > 0; j++)
            if (covered_by(&near[j], &left, hit) > 0)
                take_out(&left, hit, (int8_t)near[j].level, covered + i * n_points);
    }
    free(found);
    free(turned);
    free(starts);
    return failed ? -1 : 0;
}

/* Whether an obstacle may stop a sphere in the cone of a given half angle around an axis: it is not beyond the
   cone's side. */
static int meets_cone(const obstacle *one, const double *axis, double cosine, double sine)
{
    double along = one->x * axis[0] + one->y * axis[1] + one->z * axis[2];
    double most = one->reach + along * sine + 1e-6;
    return cosine <= 0 || (most > 0 && (one->squared - along * along) * cosine * cosine <= most * most);
}

/* Number of the shell, 0.5 wide, in which an obstacle first stops a sphere. */
static int shell_of(const obstacle *one)
{
    double nearest = sqrt(one->squared) - one->reach;
    return nearest <= 0 ? 0 : nearest >= 0.5 * (SHELLS - 1) ? SHELLS - 1 : (int)(2 * nearest);
}

/* Keep the rays that obstacles of a level, from a shell on, can still change. An obstacle that stops a ray before a
   shell begins makes the shell's obstacles irrelevant; of higher levels, only the first stop counts. */
static void rays_left(point_set *left, const double *length, const int8_t *stop, int level, int shell)
{
    int kept = 0;
    for (int m = 0; m < left->n; m++) {
        int k = left->number[m];
        if (level == 0 ? length[k] > 0 && length[k] > 0.5 * shell - 1e-6 : stop[k] > level)
            keep(left, m, kept++);
    }
    left->n = kept;
}

/* Rays of a cone around the direction of each place, which is the third axis of its frame. The result of each ray is
   the path of a sphere until an atom of level 0 stops it, and the first level that stops it at all, n_levels if none does.
   Arguments: rays (n_rays, 3) of unit length; half_angle of the cone; reach (n_atoms): smallest distance of an atom to the
   sphere's centre. The sphere moves from begin to end; lengths (n, n_rays): 0 if it can't start, infinite if it reaches
   the end; stopped (n, n_rays). The rest as above. */
int ray_lengths(int64_t n, const double *places, const double *frames, int64_t n_rays, const double *rays,
                double half_angle, double begin, double end, int64_t n_atoms, const double *xyz, const double *reach,
                const int8_t *level, const uint8_t *ignored, int64_t n_levels, double *lengths, int8_t *stopped)
{
    int n_keys = (int)n_levels * SHELLS;
    obstacle *found = malloc((2 * n_atoms + 1) * sizeof *found), *near = found + n_atoms;
    double *turned = malloc((5 * n_rays + 1) * sizeof *turned), *along = turned + 3 * n_rays, *inside = along + n_rays;
    int *starts = malloc((n_keys + 1 + n_rays + n_atoms + 1) * sizeof *starts), *number = starts + n_keys + 1;
    point_set left = {turned, turned + n_rays, turned + 2 * n_rays, number, 0};
    vicinity around = {NULL, number + n_rays, 0};
    double cosine = cos(half_angle), sine = sin(half_angle);
    int failed = found == NULL || turned == NULL || starts == NULL;
    for (int64_t i = 0; i < n && !failed; i++) {
        int n_found = obstacles_near(places + 3 * i, end, n_atoms, xyz, reach, level,
                                     ignored == NULL ? NULL : ignored + i * n_atoms, &around, found);
        int n_near = 0;
        for (int j = 0; j < n_found; j++)
            if (meets_cone(&found[j], frames + 9 * i + 6, cosine, sine)) {
                found[n_near] = found[j];
                found[n_near].key = found[j].level * SHELLS + shell_of(&found[j]);
                n_near++;
            }
        by_key(found, n_near, n_keys, starts, near);
        double *length = lengths + i * n_rays;
        int8_t *stop = stopped + i * n_rays;
        turn(rays, n_rays, frames + 9 * i, 1.0, turned);
        for (int k = 0; k < n_rays; k++) {
            length[k] = INFINITY;
            stop[k] = (int8_t)n_levels;
            number[k] = k;
        }
        left.n = (int)n_rays;
        for (int j = 0; j < n_near && left.n > 0; j++) {
            if (j > 0 && near[j].key != near[j - 1].key)
                rays_left(&left, length, stop, near[j].level, near[j].key % SHELLS);
            double x = near[j].x, y = near[j].y, z = near[j].z, outside = near[j].squared - near[j].reach * near[j].reach;
            for (int m = 0; m < left.n; m++) {
                along[m] = x * left.x[m] + y * left.y[m] + z * left.z[m];
                inside[m] = along[m] * along[m] - outside;
            }
            for (int m = 0; m < left.n; m++) {
                if (inside[m] <= 0)
                    continue;
                int k = number[m];
                double half = sqrt(inside[m]), from = along[m] - half;
                if (along[m] + half <= begin || from >= end)
                    continue;
                if (near[j].level < stop[k])
                    stop[k] = (int8_t)near[j].level;
                from = from > begin ? from : 0.0;
                if (near[j].level == 0 && from < length[k])
                    length[k] = from;
            }
        }
    }
    free(found);
    free(turned);
    free(starts);
    return failed ? -1 : 0;
}

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_kernels", NULL, -1, NULL};

PyMODINIT_FUNC PyInit__kernels(void)
{
    PyObject *created = PyModule_Create(&module);
    if (created != NULL && PyModule_AddStringConstant(created, "COMPILER", __VERSION__) < 0)
        Py_CLEAR(created);
    return created;
}
