/* SPDX-License-Identifier: MIT
 *
 * Small extensions of what devices tell and of how memory is mapped:
 * - VK_KHR_format_feature_flags2,
 */
#include "vkt.h"

static struct vkt device;

#define FUNCTION(name) ((PFN_##name)load(#name))

static PFN_vkVoidFunction load(const char *name)
{
    PFN_vkVoidFunction function = vkGetDeviceProcAddr(device.device, name);
    if (!function)
        function = vkGetInstanceProcAddr(device.instance, name);
    if (!function)
        fail_msg("%s is missing", name);
    return function;
}

static int open_device(void **state)
{
    const char *const extensions[] = {
        VK_KHR_FORMAT_FEATURE_FLAGS_2_EXTENSION_NAME,
    };
    device = vkt_device_create_with(vkt_device(VKT_TESTED), extensions, VKT_COUNT(extensions));
    return 0;
}

static int close_device(void **state)
{
    vkt_device_close(&device);
    return vkt_teardown(state);
}

/* ---------------------------------------------------------------- VK_KHR_format_feature_flags2 */

#define WITHOUT_FORMAT                                                                                                 \
    (VK_FORMAT_FEATURE_2_STORAGE_READ_WITHOUT_FORMAT_BIT | VK_FORMAT_FEATURE_2_STORAGE_WRITE_WITHOUT_FORMAT_BIT)
#define COMPARED VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_DEPTH_COMPARISON_BIT

static void check_features(VkFormatFeatureFlags old, VkFormatFeatureFlags2 new, bool has_depth)
{
    const bool is_stored = old & (VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT | VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_BIT);
    assert_int_equal((uint32_t) new & 0x7fffffff, old);
    assert_true((new &WITHOUT_FORMAT) == (is_stored ? WITHOUT_FORMAT : 0));
    assert_true(((new &COMPARED) != 0) == (has_depth && (old & VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT)));
}

static void formats_have_64_bits_of_features(void **state)
{
    uint32_t stored = 0, compared = 0;
    for (VkFormat format = VK_FORMAT_R4G4_UNORM_PACK8; format <= VK_FORMAT_ASTC_12x12_SRGB_BLOCK; format++) {
        VkFormatProperties3 new = {.sType = VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_3};
        VkFormatProperties2 old = {.sType = VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_2, .pNext = &new};
        FUNCTION(vkGetPhysicalDeviceFormatProperties2KHR)(device.physical, format, &old);
        const bool has_depth =
            format >= VK_FORMAT_D16_UNORM && format <= VK_FORMAT_D32_SFLOAT_S8_UINT && format != VK_FORMAT_S8_UINT;
        check_features(old.formatProperties.linearTilingFeatures, new.linearTilingFeatures, has_depth);
        check_features(old.formatProperties.optimalTilingFeatures, new.optimalTilingFeatures, has_depth);
        check_features(old.formatProperties.bufferFeatures, new.bufferFeatures, false);
        stored += (new.optimalTilingFeatures &WITHOUT_FORMAT) != 0;
        compared += (new.optimalTilingFeatures &COMPARED) != 0;
    }
    assert_true(stored >= 30 && compared >= 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(formats_have_64_bits_of_features, vkt_check_messages),
    };
    return cmocka_run_group_tests_name("api_device_extensions", tests, open_device, close_device);
}
