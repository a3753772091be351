/* SPDX-License-Identifier: MIT
 *
 * Sweeps shader functions over their inputs. Each shader of sweep/ computes one function per component of its result.
 * The tables in sweep_float.c and sweep_int.c define the inputs and the allowed results of each component. The programs
 * are compiled from SPIR-V and run on the model, in a second test with an SFU as inexact as the chip's notes allow
 * (VC4VK_DEBUG=worst-sfu).
 *
 * The limits are those of Vulkan's "Precision and Operation of SPIR-V Instructions". A function that Vulkan defines by
 * a formula may have the sum of the formula's errors. The test prints the worst error of each function, in ULP and as a
 * share of its limit.
 *
 *   sweep MODULE...        SWEEP_RUNS=n: runs of 16 inputs each
 */
#include <math.h>
#include <stdlib.h>
#include "../../compiler_qpu/harness.h"
#include "../as_vertex.h"
#include "sweep.h"

static char **arguments;
static int argument_count;
static uint64_t random_state;

/* ---------------------------------------------------------------- inputs */

static uint32_t random_word(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(random_state >> 24);
}

static double random_unit(void)
{
    return random_word() / 4294967296.0;
}

/* Half of the numbers are distributed evenly and a quarter by exponent. The others are round numbers, neighbours of
 * round numbers and ends of the range. */
static float between(double low, double high)
{
    uint32_t kind = random_word() & 7;
    double x = low + (high - low) * random_unit();
    if (kind < 2) {
        double least = low > 0 ? low : ldexp(1, -30), most = fmax(fabs(low), fabs(high));
        x = least * pow(most / least, random_unit());
        x = low < 0 && (high <= 0 || random_word() & 1) ? -x : x;
    } else if (kind == 2) {
        x = rint(x);
    } else if (kind == 3) {
        x = nextafterf((float)(rint(x * 4) / 4), random_word() & 1 ? 1e30f : -1e30f);
    }
    float f = (float)fmin(fmax(x, low), high);
    return fpclassify(f) == FP_SUBNORMAL ? 0 : f;
}

/* Any normal number, or zero. */
static uint32_t any_float(void)
{
    uint32_t exponent = 1 + random_word() % 254, mantissa = random_word() & 0x7fffff;
    if (random_word() % 8 == 0)
        mantissa = random_word() & 1 ? 0 : 0x7fffff;
    if (random_word() % 64 == 0)
        return 0;
    return (random_word() & 0x80000000) | exponent << 23 | mantissa;
}

static uint32_t any_word(void)
{
    static const uint32_t special[] = {0, 1, 2, 3, 0xffffffff, 0xfffffffe, 0x7fffffff, 0x80000000, 0x80000001, 0xffff,
                                       0x10000, 0xffffff, 0x1000000, 0x1000001};
    uint32_t word = random_word();
    switch (random_word() & 7) {
    case 0:
        return special[word % ARRAY_SIZE(special)];
    case 1:
        return word >> (random_word() & 31);
    case 2:
        return (uint32_t)((int32_t)word >> (random_word() & 31));
    case 3:
        return 1u << (word & 31);
    default:
        return word;
    }
}

static uint32_t generate(const struct sweep_range *r)
{
    switch (r->kind) {
    case SWEEP_WORDS:
        return any_word();
    case SWEEP_FLOATS:
        return any_float();
    case SWEEP_POSITIVE:
        return any_float() & 0x7fffffff;
    case SWEEP_BETWEEN:
        break;
    }
    return util_fui(between(r->low, r->high));
}

/* ---------------------------------------------------------------- verdicts */

double sweep_ulp(double x)
{
    x = fabs(x);
    return x < ldexp(1, -126) ? ldexp(1, -149) : ldexp(1, ilogb(fmin(x, DBL_MAX)) - 23);
}

struct sweep_verdict sweep_float(uint32_t got_word, double want, double limit)
{
    double got = util_uif(got_word), ulp = sweep_ulp(want), error = fabs(got - want);
    if (isnan(want) || fabs(want) + limit > FLT_MAX)
        error = isnan(want) || fabs(got) >= fmin(FLT_MAX, fabs(want) - limit) ? 0 : INFINITY;
    else if (fabs(want) < ldexp(1, -126) + limit && fabs(got) <= ldexp(1, -126))
        error = 0; /* denormals are flushed */
    return (struct sweep_verdict){.ulps = error / ulp, .share = error == 0 ? 0 : error / limit, .want = want};
}

struct sweep_verdict sweep_exact(uint32_t got, uint32_t want)
{
    return (struct sweep_verdict){.ulps = got != want, .share = got == want ? 0 : INFINITY, .want = util_uif(want)};
}

/* ---------------------------------------------------------------- running */

struct worst {
    struct sweep_verdict v;
    struct sweep_args args;
    uint32_t got;
};

static void judge(struct harness *h, const struct sweep_row *row, struct worst *worst)
{
    for (uint32_t lane = 0; lane < QPU_LANES; lane++) {
        struct sweep_args a = {.component = row->component};
        for (uint32_t i = 0; i < 12; i++) {
            a.words[i] = h->vpm_in[i][lane];
            a.f[i] = util_uif(a.words[i]);
        }
        uint32_t got = h->vpm_out[row->component][lane];
        struct sweep_verdict v = row->judge(&a, got);
        if (v.share > worst->v.share || isnan(v.share))
            *worst = (struct worst){v, a, got};
    }
}

static bool report(const struct sweep_row *row, const struct worst *w, uint32_t count)
{
    bool ok = w->v.share <= 1;
    const uint32_t c = row->component;
    printf("# %-28s %7.2f ULP, %5.1f%% of the limit, %u inputs\n", row->name, w->v.ulps, 100 * w->v.share, count);
    if (!ok)
        printf("# %s: %.9g (0x%08x), expected %.9g at %.9g (0x%08x), %.9g (0x%08x), %.9g (0x%08x)\n", row->name,
               (double)util_uif(w->got), w->got, w->v.want, w->args.f[c], w->args.words[c], w->args.f[4 + c],
               w->args.words[4 + c], w->args.f[8 + c], w->args.words[8 + c]);
    return ok;
}

static const struct sweep_row *find_row(const char *file, uint32_t component)
{
    const struct sweep_row *const tables[] = {sweep_float_rows, sweep_int_rows};
    size_t length = strcspn(file, ".");
    for (uint32_t i = 0; i < ARRAY_SIZE(tables); i++)
        for (const struct sweep_row *row = tables[i]; row->file; row++)
            if (strlen(row->file) == length && !strncmp(row->file, file, length) && row->component == component)
                return row;
    fail_msg("%s: component %u has no row in sweep_float_rows or sweep_int_rows", file, component);
    return NULL;
}

static uint32_t sweep_file(struct harness *h, const char *path, uint32_t runs)
{
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
    struct worst worst[4] = {{.got = 0}};
    const struct sweep_row *rows[4];
    uint32_t failed = 0;
    for (uint32_t c = 0; c < 4; c++)
        rows[c] = find_row(file, c);
    char *text = as_vertex_file(path);
    if (!text)
        fail_msg("%s cannot be converted to a vertex program", path);
    harness_compile(h, text);
    for (uint32_t run = 0; run < runs; run++) {
        for (uint32_t i = 0; i < 12; i++)
            for (uint32_t lane = 0; lane < QPU_LANES; lane++)
                h->vpm_in[i][lane] = generate(&rows[i % 4]->in[i / 4]);
        harness_run(h);
        for (uint32_t c = 0; c < 4; c++)
            judge(h, rows[c], &worst[c]);
    }
    for (uint32_t c = 0; c < 4; c++)
        failed += !report(rows[c], &worst[c], runs * QPU_LANES);
    if (failed && getenv("VERBOSE"))
        printf("%s\n", text);
    free(text);
    return failed;
}

static void sweep(void **state)
{
    const char *runs = getenv("SWEEP_RUNS");
    uint32_t failed = 0;
    random_state = 88172645463325252u;
    for (int i = 1; i < argument_count; i++)
        failed += sweep_file(*state, arguments[i], runs ? (uint32_t)atoi(runs) : 512);
    assert_int_equal(failed, 0);
}

int main(int argc, char **argv)
{
    arguments = argv;
    argument_count = argc;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sweep, harness_setup, harness_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
