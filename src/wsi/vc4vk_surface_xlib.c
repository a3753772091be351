/* SPDX-License-Identifier: MIT
 *
 * VK_KHR_xlib_surface: windows of applications that use Xlib. An Xlib Display may only be used by one thread at a time
 * unless the application called XInitThreads() before opening it, and the presenter is another thread. Each surface
 * therefore opens an xcb connection of its own to the same server, where windows have the same ids.
 */
#define VK_USE_PLATFORM_XLIB_KHR
#include <X11/Xlib.h>
#include <X11/Xutil.h>
#include "device/vc4vk_entrypoints_gen.h"
#include "wsi/vc4vk_surface_xcb.h"

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_CreateXlibSurfaceKHR(VkInstance _instance,
                                                          const VkXlibSurfaceCreateInfoKHR *pCreateInfo,
                                                          const VkAllocationCallbacks *pAllocator,
                                                          VkSurfaceKHR *pSurface)
{
    VC4VK_FROM_HANDLE(vc4vk_instance, instance, _instance);
    XSync(pCreateInfo->dpy, False); /* the request that creates the window may still be in Xlib's buffer */
    xcb_connection_t *connection = xcb_connect(DisplayString(pCreateInfo->dpy), NULL);
    if (xcb_connection_has_error(connection)) {
        xcb_disconnect(connection);
        return vc4vk_errorf(instance, VK_ERROR_OUT_OF_HOST_MEMORY,
                            "Xlib surface: cannot open a second connection to the X server %s",
                            DisplayString(pCreateInfo->dpy));
    }
    return vc4vk_create_window_surface(instance, vc4vk_alloc_choose(instance->alloc, pAllocator), connection, true,
                                       (xcb_window_t)pCreateInfo->window, pSurface);
}

VKAPI_ATTR VkBool32 VKAPI_CALL vc4vk_GetPhysicalDeviceXlibPresentationSupportKHR(VkPhysicalDevice physicalDevice,
                                                                                 uint32_t queueFamilyIndex,
                                                                                 Display *dpy, VisualID visualID)
{
    XVisualInfo wanted = {.visualid = visualID};
    int count = 0;
    XVisualInfo *found = XGetVisualInfo(dpy, VisualIDMask, &wanted, &count);
    bool ok = found && vc4vk_pixels_fit((uint32_t)found->depth, (uint32_t)found->red_mask, (uint32_t)found->green_mask,
                                        (uint32_t)found->blue_mask);
    XFree(found);
    return ok;
}
