/* SPDX-License-Identifier: MIT
 *
 * Test program of leaks.py: creates a surface and a fence and destroys them, except those named on the command line
 * (leaks [surface|fence]...). The loader allocates the surface beside the driver, and calls for the fence pass through
 * the validation layer.
 */
#include <stdio.h>
#include <string.h>
#include "vkt.h"

static bool is_named(int argc, char **argv, const char *what)
{
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], what))
            return true;
    return false;
}

static VkInstance open_instance(void)
{
    static const char *const extensions[] = {VK_KHR_SURFACE_EXTENSION_NAME, VK_EXT_HEADLESS_SURFACE_EXTENSION_NAME};
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                       .enabledExtensionCount = VKT_COUNT(extensions),
                                       .ppEnabledExtensionNames = extensions};
    VkInstance instance;
    return vkCreateInstance(&info, NULL, &instance) == VK_SUCCESS ? instance : VK_NULL_HANDLE;
}

static bool make_surface(VkInstance instance, VkSurfaceKHR *out)
{
    PFN_vkCreateHeadlessSurfaceEXT create =
        (PFN_vkCreateHeadlessSurfaceEXT)vkGetInstanceProcAddr(instance, "vkCreateHeadlessSurfaceEXT");
    const VkHeadlessSurfaceCreateInfoEXT info = {.sType = VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT};
    return create && create(instance, &info, NULL, out) == VK_SUCCESS;
}

int main(int argc, char **argv)
{
    const VkFenceCreateInfo fence_info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    struct vkt *t = vkt_device(VKT_TESTED);
    VkInstance instance = open_instance();
    VkSurfaceKHR surface;
    VkFence fence;
    if (!instance || !make_surface(instance, &surface) ||
        vkCreateFence(t->device, &fence_info, NULL, &fence) != VK_SUCCESS)
        return 2;
    if (!is_named(argc, argv, "fence"))
        vkDestroyFence(t->device, fence, NULL);
    if (!is_named(argc, argv, "surface"))
        vkDestroySurfaceKHR(instance, surface, NULL);
    vkDestroyInstance(instance, NULL);
    vkt_teardown(NULL);
    return 0;
}
