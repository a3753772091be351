/* SPDX-License-Identifier: MIT
 *
 * The three output formats of vc4vk-info: text, JSON, and Markdown for docs/features.md.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "info.h"
#include "util/json.h"

static const struct info_use uses[] = {
    {"sampled", VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT, false},
    {"filtered", VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT, false},
    {"colour", VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT, false},
    {"blended", VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BLEND_BIT, false},
    {"depth/stencil", VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT, false},
    {"storage", VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT, false},
    {"blit from", VK_FORMAT_FEATURE_BLIT_SRC_BIT, false},
    {"blit to", VK_FORMAT_FEATURE_BLIT_DST_BIT, false},
    {"vertex", VK_FORMAT_FEATURE_VERTEX_BUFFER_BIT, true},
    {"texel buffer", VK_FORMAT_FEATURE_UNIFORM_TEXEL_BUFFER_BIT, true},
    {"storage texel buffer", VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_BIT, true},
};

const struct info_use *info_uses(uint32_t *count_out)
{
    *count_out = ARRAY_SIZE(uses);
    return uses;
}

/* Returns the next row of the format table that has a name, or NULL. */
static const struct vc4vk_format *next_format(uint32_t *index)
{
    uint32_t count;
    const struct vc4vk_format *table = vc4vk_format_table(&count);
    while (*index < count && !table[*index].name)
        ++*index;
    return *index < count ? &table[(*index)++] : NULL;
}

static const char *use_name(const struct vc4vk_format *format, const struct info_use *use)
{
    return vc4vk_feature_level_name(vc4vk_format_feature_level(format, use->feature, use->in_buffers));
}

static const char *feature_name(const struct info_feature *feature)
{
    return feature->means ? vc4vk_feature_level_name(feature->means->means) : "unknown";
}

static const char *feature_how(const struct info_feature *feature)
{
    return feature->means ? feature->means->how : "no row in the driver's table";
}

/* -- text --------------------------------------------------------------------------------------------------------- */

static void print_limits(const struct info *info)
{
    uint32_t count;
    const struct info_member *limits = info_limits(&count);
    printf("\nLimits\n");
    for (uint32_t i = 0; i < count; i++) {
        printf("  %-50s ", limits[i].name);
        for (uint32_t j = 0; j < limits[i].count; j++) {
            char value[INFO_VALUE_B];
            info_format_value(&limits[i], &info->properties.limits, j, value);
            printf("%s%s", j ? " x " : "", value);
        }
        printf("\n");
    }
}

static void print_formats(void)
{
    printf("\nFormats (images of optimal tiling; buffers)\n");
    uint32_t index = 0;
    for (const struct vc4vk_format *format; (format = next_format(&index));) {
        printf("  %-28s", format->name);
        const char *separator = " ";
        for (uint32_t i = 0; i < ARRAY_SIZE(uses); i++) {
            if (!vc4vk_format_feature_level(format, uses[i].feature, uses[i].in_buffers))
                continue;
            printf("%s%s: %s", separator, uses[i].name, use_name(format, &uses[i]));
            separator = ", ";
        }
        printf("\n");
    }
}

void info_print_text(const struct info *info)
{
    const VkPhysicalDeviceProperties *p = &info->properties;
    printf("%s\n", p->deviceName);
    printf("  Vulkan    %u.%u.%u, conformance not earned\n", VK_VERSION_MAJOR(p->apiVersion),
           VK_VERSION_MINOR(p->apiVersion), VK_VERSION_PATCH(p->apiVersion));
    printf("  driver    %s %s\n", info->driver.driverName, info->driver.driverInfo);
    printf("  kernel    %s, V3D_IDENT %08x %08x %08x, %" PRIu64 " MiB for buffer objects%s%s\n", info->kernel.name,
           info->kernel.ident[0], info->kernel.ident[1], info->kernel.ident[2], info->kernel.memory_B >> 20,
           info->kernel.has_sync_files ? ", sync files" : "", info->kernel.has_dma_bufs ? ", dma-bufs" : "");
    printf("\nFeatures\n");
    for (uint32_t i = 0; i < info->feature_count; i++)
        printf("  %-42s %-8s %s\n", info->features[i].name, feature_name(&info->features[i]),
               feature_how(&info->features[i]));
    printf("\nExtensions\n");
    for (uint32_t i = 0; i < info->instance_extension_count; i++)
        printf("  %-48s instance\n", info->instance_extensions[i].extensionName);
    for (uint32_t i = 0; i < info->device_extension_count; i++)
        printf("  %s\n", info->device_extensions[i].extensionName);
    print_limits(info);
    print_formats();
}

/* -- JSON --------------------------------------------------------------------------------------------------------- */

static void put_to_stdout(void *data, const char *text, size_t size_B)
{
    fwrite(text, 1, size_B, stdout);
}

static void print_extensions(struct util_json *json, const char *name, const VkExtensionProperties *extensions,
                             uint32_t count)
{
    util_json_object(json, name, UTIL_JSON_LINES);
    for (uint32_t i = 0; i < count; i++)
        util_json_number(json, extensions[i].extensionName, "%" PRIu32, extensions[i].specVersion);
    util_json_end(json);
}

static void print_words(struct util_json *json, const char *name, const uint32_t *words, uint32_t count)
{
    util_json_array(json, name, UTIL_JSON_INLINE);
    for (uint32_t i = 0; i < count; i++)
        util_json_number(json, NULL, "%" PRIu32, words[i]);
    util_json_end(json);
}

static void print_json_features(struct util_json *json, const struct info *info)
{
    util_json_object(json, "features", UTIL_JSON_LINES);
    for (uint32_t i = 0; i < info->feature_count; i++) {
        util_json_object(json, info->features[i].name, UTIL_JSON_INLINE);
        util_json_string(json, "means", feature_name(&info->features[i]));
        util_json_string(json, "how", feature_how(&info->features[i]));
        util_json_end(json);
    }
    util_json_end(json);
}

static void print_json_limits(struct util_json *json, const struct info *info)
{
    uint32_t count;
    const struct info_member *limits = info_limits(&count);
    util_json_object(json, "limits", UTIL_JSON_LINES);
    for (uint32_t i = 0; i < count; i++) {
        const bool is_array = limits[i].count > 1;
        if (is_array)
            util_json_array(json, limits[i].name, UTIL_JSON_INLINE);
        for (uint32_t j = 0; j < limits[i].count; j++) {
            char value[INFO_VALUE_B];
            info_format_value(&limits[i], &info->properties.limits, j, value);
            util_json_number(json, is_array ? NULL : limits[i].name, "%s", value);
        }
        if (is_array)
            util_json_end(json);
    }
    util_json_end(json);
}

static void print_json_formats(struct util_json *json)
{
    util_json_object(json, "formats", UTIL_JSON_LINES);
    uint32_t index = 0;
    for (const struct vc4vk_format *format; (format = next_format(&index));) {
        util_json_object(json, format->name, UTIL_JSON_INLINE);
        for (uint32_t i = 0; i < ARRAY_SIZE(uses); i++)
            if (vc4vk_format_feature_level(format, uses[i].feature, uses[i].in_buffers))
                util_json_string(json, uses[i].name, use_name(format, &uses[i]));
        util_json_end(json);
    }
    util_json_end(json);
}

void info_print_json(const struct info *info)
{
    const VkPhysicalDeviceProperties *p = &info->properties;
    const uint32_t version[] = {VK_VERSION_MAJOR(p->apiVersion), VK_VERSION_MINOR(p->apiVersion),
                                VK_VERSION_PATCH(p->apiVersion)};
    struct util_json json = {.put = put_to_stdout};
    util_json_object(&json, NULL, UTIL_JSON_LINES);
    util_json_string(&json, "device", p->deviceName);
    print_words(&json, "apiVersion", version, ARRAY_SIZE(version));
    util_json_string(&json, "driver", info->driver.driverInfo);
    util_json_string(&json, "kernel", info->kernel.name);
    util_json_bool(&json, "isModel", info->kernel.is_model);
    util_json_number(&json, "memory_B", "%" PRIu64, info->kernel.memory_B);
    print_words(&json, "ident", info->kernel.ident, ARRAY_SIZE(info->kernel.ident));
    print_extensions(&json, "instanceExtensions", info->instance_extensions, info->instance_extension_count);
    print_extensions(&json, "deviceExtensions", info->device_extensions, info->device_extension_count);
    print_json_features(&json, info);
    print_json_limits(&json, info);
    print_json_formats(&json);
    util_json_end(&json);
    printf("\n");
}

/* -- Markdown ----------------------------------------------------------------------------------------------------- */

static void print_extension_row(const struct info *info, const char *extension)
{
    const struct vc4vk_extension_info *row = vc4vk_extension_info(extension);
    if (row) {
        printf("| %s | %s | %s |\n", extension, vc4vk_feature_level_name(row->means), row->how);
        return;
    }
    printf("| %s | see its features |", extension);
    const struct info_feature *feature;
    for (uint32_t i = 0; (feature = info_extension_feature(info, extension, i)); i++)
        printf("%s%s", i ? ", " : " ", feature->name);
    printf(" |\n");
}

/* The instance extensions without a row are the loader's own. */
static void print_markdown_extensions(const struct info *info)
{
    printf("\n## Extensions\n\n*-*: there is nothing that a chip could do.\n\n| extension | means | how "
           "|\n|---|---|---|\n");
    for (uint32_t i = 0; i < info->instance_extension_count; i++)
        if (vc4vk_extension_info(info->instance_extensions[i].extensionName))
            print_extension_row(info, info->instance_extensions[i].extensionName);
    for (uint32_t i = 0; i < info->device_extension_count; i++)
        print_extension_row(info, info->device_extensions[i].extensionName);
    uint32_t count;
    const struct vc4vk_missing_extension *missing = vc4vk_missing_extensions(&count);
    printf(
        "\n## Extensions that are missing\n\nDevice extensions of lavapipe (Mesa 22.3 and 25.0) and of SwiftShader.\n\n"
        "| extension | reason |\n|---|---|\n");
    for (uint32_t i = 0; i < count; i++)
        printf("| %s | %s |\n", missing[i].extension, missing[i].reason);
}

void info_print_markdown(const struct info *info)
{
    printf(
        "# Features, extensions and formats\n\n"
        "Made by `vc4vk-info --markdown`; a test compares. *native*: the chip does it; *lowered*: shader code, more "
        "passes\nor CPU preparation around jobs of the chip; *CPU*: programs on the CPU engine, or plain CPU code in "
        "queue order.\n\n## Features\n\n| feature | means | how |\n|---|---|---|\n");
    for (uint32_t i = 0; i < info->feature_count; i++)
        printf("| %s | %s | %s |\n", info->features[i].name, feature_name(&info->features[i]),
               feature_how(&info->features[i]));
    print_markdown_extensions(info);
    printf("\n## Formats\n\nImages have optimal tiling; the last three columns are buffers.\n\n| format |");
    for (uint32_t i = 0; i < ARRAY_SIZE(uses); i++)
        printf(" %s |", uses[i].name);
    printf("\n|---|");
    for (uint32_t i = 0; i < ARRAY_SIZE(uses); i++)
        printf("---|");
    printf("\n");
    uint32_t index = 0;
    for (const struct vc4vk_format *format; (format = next_format(&index));) {
        printf("| %s |", format->name);
        for (uint32_t i = 0; i < ARRAY_SIZE(uses); i++)
            printf(" %s |", use_name(format, &uses[i]));
        printf("\n");
    }
}
