/* SPDX-License-Identifier: MIT
 *
 * The tessellator: numbers of vertices and primitives, the area that they cover, their order, the vertices of edges,
 * and that nothing leaves its arrays whatever the levels are. VKT_FUZZ=full runs many more random levels; VKT_SEED sets
 * the seed.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "issue/vc4vk_tessellator.h"
#include "util/macros.h"

static struct vc4vk_tess_output out;

static void run(uint8_t domain, uint8_t spacing, const float *outer, const float *inner)
{
    const struct vc4vk_tess_modes modes = {domain, spacing, 0, 1};
    struct vc4vk_tess_levels levels = {.outer = {0}};
    memcpy(levels.outer, outer, sizeof levels.outer);
    memcpy(levels.inner, inner, sizeof levels.inner);
    memset(&out, 0xcc, sizeof out);
    vc4vk_tessellate(&modes, &levels, &out);
}

static void run_equally(uint8_t domain, uint8_t spacing, float level)
{
    run(domain, spacing, (const float[]){level, level, level, level}, (const float[]){level, level});
}

static uint32_t primitives(void)
{
    return out.index_count / out.per_primitive;
}

/* Twice the signed area of a triangle in the plane of u and v. Exact: coordinates are multiples of 2^-24. */
static double area_of(uint32_t triangle)
{
    const uint16_t *i = out.indices + 3 * triangle;
    const float *a = out.coords[i[0]], *b = out.coords[i[1]], *c = out.coords[i[2]];
    return ((double)b[0] - a[0]) * ((double)c[1] - a[1]) - ((double)c[0] - a[0]) * ((double)b[1] - a[1]);
}

/* ---------------------------------------------------------------- numbers */

static void quads_are_grids(void **state)
{
    for (uint32_t n = 1; n <= VC4VK_MAX_TESS_LEVEL; n++) {
        run_equally(VC4C_DOMAIN_QUADS, VC4C_SPACING_EQUAL, (float)n);
        assert_int_equal(out.per_primitive, 3);
        assert_int_equal(out.vertex_count, (n + 1) * (n + 1));
        assert_int_equal(primitives(), 2 * n * n);
    }
}

/* Rings of 3 n, 3 (n - 2), ... vertices, and a triangle or a vertex in the middle. */
static void triangles_are_rings(void **state)
{
    for (uint32_t n = 1; n <= VC4VK_MAX_TESS_LEVEL; n++) {
        uint32_t vertices = n % 2 ? 0 : 1, triangles = n % 2;
        for (uint32_t k = n; k; k = k > 2 ? k - 2 : 0) {
            vertices += 3 * k;
            triangles += k > 1 ? 3 * (k + k - 2) : 0;
        }
        run_equally(VC4C_DOMAIN_TRIANGLES, VC4C_SPACING_EQUAL, (float)n);
        assert_int_equal(out.vertex_count, vertices);
        assert_int_equal(primitives(), triangles);
    }
}

static void isolines_are_lines(void **state)
{
    for (uint32_t n = 1; n <= VC4VK_MAX_TESS_LEVEL; n += 9) {
        run(VC4C_DOMAIN_ISOLINES, VC4C_SPACING_EQUAL, (const float[]){(float)n, 7.5f, 0, 0}, (const float[]){0, 0});
        assert_int_equal(out.per_primitive, 2);
        assert_int_equal(out.vertex_count, 9 * n);
        assert_int_equal(primitives(), 8 * n);
        for (uint32_t i = 0; i < out.vertex_count; i++)
            assert_true(out.coords[i][1] < 1);
    }
}

static void points_are_all_vertices(void **state)
{
    const struct vc4vk_tess_modes modes = {VC4C_DOMAIN_QUADS, VC4C_SPACING_EQUAL, 1, 1};
    vc4vk_tessellate(&modes, &(struct vc4vk_tess_levels){{3, 3, 3, 3}, {3, 3}}, &out);
    assert_int_equal(out.per_primitive, 1);
    assert_int_equal(out.vertex_count, 16);
    assert_int_equal(out.index_count, 16);
    for (uint32_t i = 0; i < 16; i++)
        assert_int_equal(out.indices[i], i);
}

static void segments_follow_the_spacing(void **state)
{
    static const struct {
        uint8_t spacing;
        float level;
        uint32_t segments;
    } rows[] = {
        {VC4C_SPACING_EQUAL, 0.5f, 1},  {VC4C_SPACING_EQUAL, 1.25f, 2},     {VC4C_SPACING_EQUAL, 64, 64},
        {VC4C_SPACING_EQUAL, 1000, 64}, {VC4C_SPACING_EQUAL, INFINITY, 64}, {VC4C_SPACING_EVEN, 0.5f, 2},
        {VC4C_SPACING_EVEN, 2.5f, 4},   {VC4C_SPACING_EVEN, 63, 64},        {VC4C_SPACING_EVEN, 99, 64},
        {VC4C_SPACING_ODD, 0.5f, 1},    {VC4C_SPACING_ODD, 1.5f, 3},        {VC4C_SPACING_ODD, 4, 5},
        {VC4C_SPACING_ODD, 64, 63},
    };
    for (uint32_t i = 0; i < ARRAY_SIZE(rows); i++) {
        run(VC4C_DOMAIN_ISOLINES, rows[i].spacing, (const float[]){1, rows[i].level, 0, 0}, (const float[]){0, 0});
        assert_int_equal(primitives(), rows[i].segments);
    }
}

static void patches_without_level_are_discarded(void **state)
{
    static const uint32_t counts[] = {[VC4C_DOMAIN_TRIANGLES] = 3, [VC4C_DOMAIN_QUADS] = 4, [VC4C_DOMAIN_ISOLINES] = 2};
    const float bad[] = {0, -0.0f, -1, -INFINITY, NAN};
    for (uint8_t domain = VC4C_DOMAIN_TRIANGLES; domain <= VC4C_DOMAIN_ISOLINES; domain++)
        for (uint32_t edge = 0; edge < 4; edge++)
            for (uint32_t i = 0; i < ARRAY_SIZE(bad); i++) {
                float outer[4] = {3, 3, 3, 3};
                outer[edge] = bad[i];
                run(domain, VC4C_SPACING_EQUAL, outer, (const float[]){bad[i], bad[i]});
                assert_int_equal(out.index_count == 0, edge < counts[domain]);
            }
}

/* ---------------------------------------------------------------- coverage */

static uint32_t seed;

static uint32_t rnd(uint32_t bound)
{
    seed = seed * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)seed * bound >> 32);
}

static float random_level(void)
{
    const float special[] = {1, 2, 3, 63, 64, 1.00001f, 2.00001f, 1e-30f, 1e30f, INFINITY};
    return rnd(3) ? 0.1f + (float)rnd(66000) / 1000 : special[rnd(ARRAY_SIZE(special))];
}

/* An edge of a triangle, from its smaller to its larger vertex. */
static uint32_t edge_key(uint16_t a, uint16_t b)
{
    return a < b ? (uint32_t)a << 16 | b : (uint32_t)b << 16 | a;
}

static int compare_words(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Is the edge on the boundary of the domain? */
static bool is_outer(uint8_t domain, uint32_t key)
{
    const float *a = out.coords[key >> 16], *b = out.coords[key & 0xffff];
    bool is = false;
    for (uint32_t k = 0; k < 3; k++) {
        is |= a[k] == 0 && b[k] == 0 && (k < 2 || domain == VC4C_DOMAIN_TRIANGLES);
        is |= a[k] == 1 && b[k] == 1 && k < 2 && domain == VC4C_DOMAIN_QUADS;
    }
    return is;
}

/* Without gaps and without overlaps: no triangle is turned over, all together have the area of the domain, and each
 * edge inside of it belongs to two triangles. */
static void check_triangles(uint8_t domain)
{
    static uint32_t edges[VC4VK_MAX_TESS_INDICES];
    double area = 0;
    for (uint32_t i = 0; i < primitives(); i++) {
        assert_true(area_of(i) >= -2e-7);
        area += area_of(i);
        for (uint32_t k = 0; k < 3; k++) {
            assert_in_range(out.indices[3 * i + k], 0, out.vertex_count - 1);
            edges[3 * i + k] = edge_key(out.indices[3 * i + k], out.indices[3 * i + (k + 1) % 3]);
        }
    }
    assert_true(fabs(area - (domain == VC4C_DOMAIN_QUADS ? 2 : 1)) < 1e-9);
    qsort(edges, out.index_count, sizeof *edges, compare_words);
    for (uint32_t i = 0; i < out.index_count;) {
        uint32_t count = 1;
        while (i + count < out.index_count && edges[i + count] == edges[i])
            count++;
        assert_in_range(count, is_outer(domain, edges[i]) ? 1 : 2, 2);
        i += count;
    }
}

static void check_coords(uint8_t domain)
{
    for (uint32_t i = 0; i < out.vertex_count; i++) {
        const float *c = out.coords[i];
        for (uint32_t k = 0; k < 3; k++) {
            const float rest = 1 - c[k];
            assert_true(c[k] >= 0 && c[k] <= 1 && (double)rest == 1 - (double)c[k]);
        }
        if (domain == VC4C_DOMAIN_TRIANGLES)
            assert_true(fabs((double)c[0] + c[1] + c[2] - 1) < 1e-6);
    }
}

static void random_levels_cover_the_domain(void **state)
{
    const char *fuzz = getenv("VKT_FUZZ"), *from = getenv("VKT_SEED");
    const uint32_t rounds = fuzz && !strcmp(fuzz, "full") ? 1000000 : 3000, first = from ? (uint32_t)atoi(from) : 1;
    for (uint32_t round = first; round < first + rounds; round++) {
        float outer[4], inner[2];
        seed = round;
        rnd(2);
        for (uint32_t i = 0; i < 4; i++)
            outer[i] = random_level();
        for (uint32_t i = 0; i < 2; i++)
            inner[i] = random_level();
        const uint8_t domain = (uint8_t)(VC4C_DOMAIN_TRIANGLES + rnd(3)),
                      spacing = (uint8_t)(VC4C_SPACING_EQUAL + rnd(3));
        run(domain, spacing, outer, inner);
        assert_in_range(out.vertex_count, 2, VC4VK_MAX_TESS_VERTICES);
        assert_in_range(out.index_count, 2, VC4VK_MAX_TESS_INDICES);
        check_coords(domain);
        if (domain != VC4C_DOMAIN_ISOLINES)
            check_triangles(domain);
    }
}

/* Any bits as levels. */
static void no_level_leaves_the_arrays(void **state)
{
    for (uint32_t round = 0; round < 20000; round++) {
        uint32_t words[6];
        struct vc4vk_tess_levels levels;
        seed = round;
        for (uint32_t i = 0; i < 6; i++)
            words[i] = rnd(UINT32_MAX);
        memcpy(&levels, words, sizeof levels);
        const struct vc4vk_tess_modes modes = {(uint8_t)rnd(4), (uint8_t)rnd(4), (uint8_t)rnd(2), (uint8_t)rnd(2)};
        vc4vk_tessellate(&modes, &levels, &out);
        assert_true(out.vertex_count <= VC4VK_MAX_TESS_VERTICES && out.index_count <= VC4VK_MAX_TESS_INDICES);
        assert_int_equal(out.index_count % out.per_primitive, 0);
    }
}

/* ---------------------------------------------------------------- edges */

/* The places of the vertices of an outer edge, ascending. Edge k of a triangle is where component k is 0, and the place
 * is component (k + 1) % 3. Edges of quads: u = 0, v = 0, u = 1, v = 1. Returns their number. */
static uint32_t places_of(uint8_t domain, uint32_t edge, uint32_t places_out[128])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < out.vertex_count; i++) {
        const float *c = out.coords[i];
        const bool is_on = domain == VC4C_DOMAIN_QUADS ? c[edge % 2] == (float)(edge / 2) : c[edge] == 0;
        const float place = domain == VC4C_DOMAIN_QUADS ? c[1 - edge % 2] : c[(edge + 1) % 3];
        if (is_on)
            places_out[count++] = (uint32_t)(place * 16777216);
    }
    qsort(places_out, count, sizeof *places_out, compare_words);
    uint32_t distinct = 0; /* inner vertices may lie on the edge when the spacing is odd */
    for (uint32_t i = 0; i < count; i++)
        if (!distinct || places_out[distinct - 1] != places_out[i])
            places_out[distinct++] = places_out[i];
    return distinct;
}

/* Whatever the other levels are, from whichever side, on whichever edge. */
static void edges_depend_on_their_level_only(void **state)
{
    for (uint32_t round = 0; round < 600; round++) {
        uint32_t first[128], places[128], first_count = 0;
        seed = round + 77;
        const float level = random_level();
        const uint8_t spacing = (uint8_t)(VC4C_SPACING_EQUAL + rnd(3));
        for (uint32_t other = 0; other < 8; other++) {
            const uint8_t domain = other % 2 ? VC4C_DOMAIN_QUADS : VC4C_DOMAIN_TRIANGLES;
            const uint32_t edge = rnd(domain == VC4C_DOMAIN_QUADS ? 4 : 3);
            float outer[4], inner[2] = {2 + random_level(), 2 + random_level()};
            for (uint32_t i = 0; i < 4; i++)
                outer[i] = i == edge ? level : random_level();
            run(domain, spacing, outer, inner);
            const uint32_t count = places_of(domain, edge, places);
            for (uint32_t i = 0; i < count; i++)
                assert_int_equal(places[i] + places[count - 1 - i], 1 << 24);
            if (!other) {
                first_count = count;
                memcpy(first, places, sizeof first);
            }
            assert_int_equal(count, first_count);
            assert_memory_equal(places, first, count * sizeof *places);
        }
    }
}

/* From one segment more to none more, two segments at the ends shrink while the others grow. */
static void fractional_segments_grow_evenly(void **state)
{
    for (uint8_t spacing = VC4C_SPACING_EVEN; spacing <= VC4C_SPACING_ODD; spacing++) {
        double before = 0;
        for (float level = spacing == VC4C_SPACING_EVEN ? 4.05f : 5.05f; level < 7; level += 0.1f) {
            const uint32_t segments = spacing == VC4C_SPACING_EVEN ? (level > 6 ? 8 : 6) : 7;
            run(VC4C_DOMAIN_ISOLINES, spacing, (const float[]){1, level, 0, 0}, (const float[]){0, 0});
            assert_int_equal(primitives(), segments);
            const double end = out.coords[1][0], middle = out.coords[3][0] - out.coords[2][0];
            assert_true(end <= middle + 1e-6);
            if (segments == 6 || spacing == VC4C_SPACING_ODD) {
                assert_true(end > before);
                before = end;
            }
        }
    }
}

/* ---------------------------------------------------------------- order */

static void triangles_are_in_the_order_asked_for(void **state)
{
    for (uint8_t domain = VC4C_DOMAIN_TRIANGLES; domain <= VC4C_DOMAIN_QUADS; domain++)
        for (uint8_t is_positive = 0; is_positive < 2; is_positive++) {
            const struct vc4vk_tess_modes modes = {domain, VC4C_SPACING_EQUAL, 0, is_positive};
            vc4vk_tessellate(&modes, &(struct vc4vk_tess_levels){{3, 5, 7, 2}, {6, 4}}, &out);
            for (uint32_t i = 0; i < primitives(); i++)
                assert_true(is_positive ? area_of(i) > 0 : area_of(i) < 0);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quads_are_grids),
        cmocka_unit_test(triangles_are_rings),
        cmocka_unit_test(isolines_are_lines),
        cmocka_unit_test(points_are_all_vertices),
        cmocka_unit_test(segments_follow_the_spacing),
        cmocka_unit_test(patches_without_level_are_discarded),
        cmocka_unit_test(random_levels_cover_the_domain),
        cmocka_unit_test(no_level_leaves_the_arrays),
        cmocka_unit_test(edges_depend_on_their_level_only),
        cmocka_unit_test(fractional_segments_grow_evenly),
        cmocka_unit_test(triangles_are_in_the_order_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
