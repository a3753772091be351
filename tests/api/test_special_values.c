/* SPDX-License-Identifier: MIT
 *
 * Zeros of both signs, infinities and NaN in 16-bit and 32-bit arithmetic that has to preserve them: all pairs of such
 * numbers and a few others, compared with the host's results by class and, where they are finite, roughly.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "vkt.h"
#include "special_float.comp.h"
#include "special_half.comp.h"

#define COUNT 128u
#define ROWS  54u

static struct vkt device;

static int open_device(void **state)
{
    const char *const extensions[] = {VK_KHR_SHADER_FLOAT_CONTROLS_EXTENSION_NAME,
                                      VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME};
    device = vkt_device_create_with(vkt_device(VKT_TESTED), extensions, VKT_COUNT(extensions));
    return 0;
}

static int close_device(void **state)
{
    vkt_device_close(&device);
    return vkt_teardown(state);
}

/* ---------------------------------------------------------------- what the host computes */

static const float numbers[] = {0.0f, -0.0f, 1, -1, 0.5f, -2.5f, 50, INFINITY, -INFINITY, NAN, -NAN};

/* What the result of a row has to be; `any`: the rule does not say. */
struct wanted {
    float result;
    bool any;
};

static float sign_of(float a)
{
    return a > 0 ? 1.0f : a < 0 ? -1.0f : isnan(a) ? 0.0f : a;
}

/* -0 is below 0; the host may not think so. Of a number and NaN, the number. */
static float number_extreme(float a, float b, bool is_max)
{
    if (a == 0 && b == 0)
        return (signbit(a) != 0) == is_max ? b : a;
    return is_max ? fmaxf(a, b) : fminf(a, b);
}

/* Of a number and NaN, either one. */
static struct wanted extreme(float a, float b, bool is_max)
{
    return (struct wanted){number_extreme(a, b, is_max), isnan(a) != isnan(b)};
}

static float fraction_of(float a)
{
    return isnan(a) ? a : copysignf(isinf(a) ? 0 : a - truncf(a), a);
}

/* Rows 42 and after. */
static struct wanted parts_and_choices(uint32_t row, float a, float b)
{
    int exponent;
    switch (row) {
    case 42:
    case 44:
        return (struct wanted){fraction_of(a), false};
    case 43:
    case 45:
        return (struct wanted){truncf(a), false};
    case 46:
    case 47:
        return (struct wanted){number_extreme(a, b, row == 47), false};
    case 48: /* between b and b; a for b = NaN */
        return (struct wanted){isnan(b) ? a : b, false};
    case 49:
        return (struct wanted){b, isnan(a) || isnan(b)};
    case 50:
        return (struct wanted){asinf(a), false};
    case 51:
        return (struct wanted){acosf(a), false};
    case 52: /* undefined for infinities and NaN */
        return (struct wanted){frexpf(a, &exponent), isinf(a) || isnan(a)};
    default: /* whether tanh(a) is 1 or -1, which large numbers round to as well */
        return (struct wanted){isinf(a) ? 1 : 0, !isinf(a) && fabsf(a) > 2};
    }
}

static struct wanted arithmetic(uint32_t row, float a, float b)
{
    const float dot = a * b + b * a;
    switch (row) {
    case 0:
        return (struct wanted){a + b, false};
    case 1:
        return (struct wanted){a - b, false};
    case 2:
        return (struct wanted){a * b, false};
    case 3:
        return (struct wanted){a / b, false};
    case 4:
        return (struct wanted){-a, false};
    case 5:
        return (struct wanted){fabsf(a), false};
    case 6:
    case 7:
        return extreme(a, b, row == 7);
    case 28:
        return (struct wanted){a * b + a, false};
    case 29:
        return (struct wanted){a * 0.5f + b * 0.5f, false};
    case 30:
        return (struct wanted){dot, false};
    case 31:
        return (struct wanted){sqrtf(a * a + b * b), false};
    case 32:
        return (struct wanted){a * 0.0174532925f, false};
    default: /* the second component of a product with a symmetric matrix */
        return (struct wanted){b * a + a * b, false};
    }
}

static struct wanted function(uint32_t row, float a, float b)
{
    switch (row) {
    case 8:
        return (struct wanted){sqrtf(a), false};
    case 9:
        return (struct wanted){1 / sqrtf(a), false};
    case 10:
        return (struct wanted){exp2f(a), false};
    case 11:
        return (struct wanted){log2f(a), false};
    case 12:
        return (struct wanted){expf(a), false};
    case 13:
        return (struct wanted){logf(a), false};
    case 14: /* undefined for x < 0, and for x = 0 and y <= 0 */
        return (struct wanted){isnan(a) || isnan(b) ? NAN : powf(a, b),
                               a < 0 || (a == 0 && b <= 0) || (isinf(b) && fabsf(a) == 1) || signbit(a) || isnan(a)};
    case 15:
        return (struct wanted){sinf(a), false};
    case 16:
        return (struct wanted){cosf(a), false};
    case 17:
        return (struct wanted){tanf(a), false};
    case 18:
        return (struct wanted){atanf(a), false};
    case 19:
        return (struct wanted){asinhf(a), false};
    case 20:
        return (struct wanted){sinhf(a), false};
    case 21:
        return (struct wanted){coshf(a), false};
    case 22:
        return (struct wanted){tanhf(a), false};
    case 23:
        return (struct wanted){floorf(a), false};
    case 24:
        return (struct wanted){ceilf(a), false};
    case 25:
        return (struct wanted){truncf(a), false};
    case 26:
        return (struct wanted){nearbyintf(a), false};
    default:
        return (struct wanted){a - floorf(a), false};
    }
}

static struct wanted expect(uint32_t row, float a, float b)
{
    const bool tests[] = {a < b, a >= b, a == b, a != b, isnan(a) != 0, isinf(a) != 0};
    if (row < 8 || (row >= 28 && row < 34))
        return arithmetic(row, a, b);
    if (row < 28)
        return function(row, a, b);
    if (row == 34)
        return (struct wanted){sign_of(a), false};
    if (row > 41)
        return parts_and_choices(row, a, b);
    if (row == 41)
        return (struct wanted){a, false};
    return (struct wanted){tests[row - 35], false};
}

/* ---------------------------------------------------------------- comparison */

static bool is_as_wanted(float got, float want, float largest, float tolerance)
{
    if (isnan(want) || isnan(got))
        return isnan(want) && isnan(got);
    if (fabsf(want) > largest) /* overflows may give the largest finite number */
        return signbit(want) == signbit(got) && fabsf(got) >= (isinf(want) ? INFINITY : largest);
    if (want == 0)
        return got == 0 && signbit(want) == signbit(got);
    return fabsf(got - want) <= tolerance * fmaxf(fabsf(want), 0.01f);
}

static void run(struct vkt_shader shader, float largest, float tolerance)
{
    struct vkt *d = &device;
    struct vkt_compute c = vkt_compute_create_simple(d, shader, 2, 0, NULL);
    struct vkt_buffer buffers[] = {vkt_storage_buffer(d, ROWS * COUNT, 0), vkt_storage_buffer(d, 2 * COUNT, 0)};
    const uint32_t n = VKT_COUNT(numbers);
    float *pairs = buffers[1].map;
    for (uint32_t i = 0; i < n * n; i++) {
        pairs[2 * i] = numbers[i / n];
        pairs[2 * i + 1] = numbers[i % n];
    }
    VkDescriptorSet set = vkt_compute_set(d, &c, buffers, 2);
    VkCommandBuffer cmd = vkt_begin(d);
    vkt_compute_bind(cmd, &c, &set);
    vkCmdDispatch(cmd, 1, 1, 1);
    vkt_barrier_all(cmd);
    vkt_end_submit(d, cmd);
    uint32_t wrong = 0;
    for (uint32_t row = 0; row < ROWS; row++) {
        for (uint32_t i = 0; i < n * n; i++) {
            const float a = pairs[2 * i], b = pairs[2 * i + 1], got = ((const float *)buffers[0].map)[row * COUNT + i];
            const struct wanted want = expect(row, a, b);
            if (want.any || is_as_wanted(got, want.result, largest, tolerance))
                continue;
            printf("# row %u of %g, %g: %g instead of %g\n", row, (double)a, (double)b, (double)got,
                   (double)want.result);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
    vkt_compute_destroy(d, &c);
    vkt_buffer_destroy(d, &buffers[0]);
    vkt_buffer_destroy(d, &buffers[1]);
}

static void floats(void **state)
{
    run(VKT_SHADER(special_float_comp), 3.402823e38f, 0.001f);
}

static void halves(void **state)
{
    run(VKT_SHADER(special_half_comp), 65504, 0.02f);
}

static void properties(void **state)
{
    VkPhysicalDeviceFloatControlsProperties p = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES};
    VkPhysicalDeviceProperties2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &p};
    vkGetPhysicalDeviceProperties2(device.physical, &all);
    assert_true(p.shaderSignedZeroInfNanPreserveFloat16 && p.shaderSignedZeroInfNanPreserveFloat32 &&
                p.shaderSignedZeroInfNanPreserveFloat64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(properties, vkt_check_messages),
        cmocka_unit_test_teardown(floats, vkt_check_messages),
        cmocka_unit_test_teardown(halves, vkt_check_messages),
    };
    vkt_request_version(VK_API_VERSION_1_1);
    return cmocka_run_group_tests_name("api_special_values", tests, open_device, close_device);
}
