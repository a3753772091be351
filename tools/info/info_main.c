/* SPDX-License-Identifier: MIT
 *
 * vc4vk-info: prints what this driver supports on this machine, and at which level: native, lowered or CPU.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "info.h"
#include "tools/options.h"

#define MAX_DEVICES 16

static VkInstance create_instance(void)
{
    const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                           .pApplicationName = "vc4vk-info",
                                           .apiVersion = VK_API_VERSION_1_1};
    static const char *const extension = VK_KHR_GET_PHYSICAL_DEVICE_PROPERTIES_2_EXTENSION_NAME;
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                       .pApplicationInfo = &application,
                                       .enabledExtensionCount = 1,
                                       .ppEnabledExtensionNames = &extension};
    VkInstance instance;
    return vkCreateInstance(&info, NULL, &instance) == VK_SUCCESS ? instance : VK_NULL_HANDLE;
}

/* Finds the device by the driver's name, because the loader may list other drivers. */
static VkPhysicalDevice find_device(VkInstance instance, struct info *info)
{
    PFN_vkGetPhysicalDeviceProperties2KHR get_properties2 = (PFN_vkGetPhysicalDeviceProperties2KHR)
        vkGetInstanceProcAddr(instance, "vkGetPhysicalDeviceProperties2KHR");
    VkPhysicalDevice devices[MAX_DEVICES];
    uint32_t count = MAX_DEVICES;
    if (vkEnumeratePhysicalDevices(instance, &count, devices) < 0)
        return VK_NULL_HANDLE;
    for (uint32_t i = 0; i < count; i++) {
        info->driver =
            (VkPhysicalDeviceDriverProperties){.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
        VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                                  .pNext = &info->driver};
        get_properties2(devices[i], &properties);
        info->properties = properties.properties;
        if (!strcmp(info->driver.driverName, "vc4vk"))
            return devices[i];
    }
    return VK_NULL_HANDLE;
}

static bool read_device(VkInstance instance, struct info *info)
{
    VkPhysicalDevice physical = find_device(instance, info);
    struct kmd_physical kernels[KMD_MAX_DEVICES];
    if (!physical || !kmd_enumerate(kernels))
        return false;
    info->kernel = kernels[0].info; /* both enumerate in the same order */
    info_read_features(instance, physical, info);
    info->device_extension_count = info->instance_extension_count = INFO_MAX_EXTENSIONS;
    return vkEnumerateDeviceExtensionProperties(physical, NULL, &info->device_extension_count,
                                                info->device_extensions) == VK_SUCCESS &&
           vkEnumerateInstanceExtensionProperties(NULL, &info->instance_extension_count, info->instance_extensions) ==
               VK_SUCCESS;
}

enum option_id { OPTION_JSON, OPTION_MARKDOWN };

static const struct tool tool = {
    .usage = "usage: vc4vk-info [--json | --markdown]\n"
             "prints what the driver supports on this machine, and at which level (native, lowered, CPU)\n"
             "  --json      prints JSON\n"
             "  --markdown  prints docs/features.md\n",
    .options =
        (const struct option[]){
            {"json", no_argument, NULL, OPTION_JSON},
            {"markdown", no_argument, NULL, OPTION_MARKDOWN},
            TOOL_LAST_OPTIONS,
        },
};

int main(int argc, char **argv)
{
    void (*print)(const struct info *) = info_print_text;
    optind = 0;
    for (int option; (option = tool_next_option(&tool, argc, argv)) >= 0;) {
        if (print != info_print_text)
            return tool_wrong_use(&tool); /* there is one format */
        print = option == OPTION_JSON ? info_print_json : info_print_markdown;
    }
    if (optind != argc)
        return tool_wrong_use(&tool);
    VkInstance instance = create_instance();
    struct info *info = calloc(1, sizeof *info);
    bool ok = instance && info && read_device(instance, info);
    if (ok)
        print(info);
    else
        fprintf(stderr, "vc4vk-info: the Vulkan loader lists no device of vc4vk; if the driver is not installed, set "
                        "VK_ICD_FILENAMES to its manifest\n");
    free(info);
    if (instance)
        vkDestroyInstance(instance, NULL);
    return ok ? 0 : 1;
}
