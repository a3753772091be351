/* SPDX-License-Identifier: MIT
 *
 * Entry points of VK_EXT_display_control: display power, a counter of vertical blanks, and fences for display events: a
 * display is plugged in or pulled out, or the first pixel of the next frame leaves it.
 *
 * The first such fence starts a thread of the logical device that waits for the events. The thread and the fences share
 * payloads, as processes do, so the application may destroy a fence at any time.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include "device/vc4vk_entrypoints_gen.h"
#include "device/vc4vk_physical_device.h"
#include "queue/vc4vk_external.h"
#include "queue/vc4vk_sync.h"
#include "util/thread.h"
#include "wsi/vc4vk_display.h"
#include "wsi/vc4vk_swapchain.h"

#define DARK_POLL_NS UINT64_C(100000000) /* polling interval for a display that shows nothing */

/* A fence that is not signalled yet. */
struct wait {
    struct util_list link;
    struct vc4vk_external *payload;      /* referenced; this is the last reference once the fence is destroyed */
    const struct vc4vk_display *display; /* first-pixel events: the display; NULL: hot-plug events */
    uint64_t vblank;                     /* vertical blanks before the wait began; UINT64_MAX: display showed nothing */
};

struct watch {
    struct vc4vk_kms *kms; /* NULL: no displays, so nothing happens */
    int uevent_fd, wake_fd;
    pthread_t thread;
    pthread_mutex_t lock;
    struct util_list waits; /* guarded by `lock` */
    bool stop;              /* guarded by `lock` */
};

/* -- the thread --------------------------------------------------------------------------------------------------- */

static void end_wait(struct wait *wait, bool is_signalled)
{
    if (is_signalled)
        vc4vk_external_signal(wait->payload, 0);
    vc4vk_external_unref(wait->payload);
    util_list_del(&wait->link);
    free(wait);
}

/* Whether a vertical blank has passed since the wait began. If not, lowers *check_ns to the time of the next check. */
static bool has_passed_vblank(const struct watch *watch, struct wait *wait, uint64_t *check_ns)
{
    struct vc4vk_kms_vblank vblank;
    if (vc4vk_kms_vblank(watch->kms, wait->display->connector, &vblank)) {
        wait->vblank = UINT64_MAX;
        *check_ns = MIN2(*check_ns, util_now_ns() + DARK_POLL_NS);
        return false;
    }
    const bool was_dark = wait->vblank == UINT64_MAX; /* the display shows something again: a first pixel has left */
    if (!was_dark && vblank.count <= wait->vblank)
        *check_ns = MIN2(*check_ns, vblank.next_ns);
    return was_dark || vblank.count > wait->vblank;
}

/* Ends all waits that are over. Returns the time of the next check. */
static uint64_t check_waits_locked(struct watch *watch, bool is_plugged)
{
    uint64_t check_ns = UTIL_FOREVER_NS;
    util_list_for_each_safe(struct wait, wait, &watch->waits, link) {
        const bool is_over = wait->display ? has_passed_vblank(watch, wait, &check_ns) : is_plugged;
        const bool is_destroyed = atomic_load_explicit(&wait->payload->refs, memory_order_relaxed) == 1;
        if (is_over || is_destroyed)
            end_wait(wait, is_over);
    }
    return check_ns;
}

/* Sleeps until `check_ns` or an earlier wake-up. Returns whether a display was plugged in or pulled out. */
static bool sleep_until(const struct watch *watch, uint64_t check_ns)
{
    struct pollfd fds[2] = {{.fd = watch->wake_fd, .events = POLLIN}, {.fd = watch->uevent_fd, .events = POLLIN}};
    const uint64_t now_ns = util_now_ns(), left_ns = check_ns > now_ns ? check_ns - now_ns : 0;
    const struct timespec timeout = {.tv_sec = (time_t)(left_ns / 1000000000), .tv_nsec = (long)(left_ns % 1000000000)};
    if (ppoll(fds, 2, check_ns == UTIL_FOREVER_NS ? NULL : &timeout, NULL) <= 0)
        return false;
    eventfd_t wakes;
    if (fds[0].revents)
        (void)eventfd_read(watch->wake_fd, &wakes);
    return fds[1].revents && vc4vk_kms_read_uevents(watch->kms, watch->uevent_fd);
}

static void *watch_main(void *arg)
{
    struct watch *watch = arg;
    bool is_plugged = false;
    pthread_mutex_lock(&watch->lock);
    while (!watch->stop) {
        uint64_t check_ns = check_waits_locked(watch, is_plugged);
        pthread_mutex_unlock(&watch->lock);
        is_plugged = sleep_until(watch, check_ns);
        pthread_mutex_lock(&watch->lock);
    }
    pthread_mutex_unlock(&watch->lock);
    return NULL;
}

/* -- per-device state --------------------------------------------------------------------------------------------- */

static VkResult fail(struct vc4vk_device *device, const char *what, int err)
{
    return vc4vk_errorf(device, VK_ERROR_OUT_OF_HOST_MEMORY, "display control: cannot create %s: %s", what,
                        strerror(err));
}

static VkResult watch_create(struct vc4vk_device *device, void **out)
{
    struct watch *watch = calloc(1, sizeof *watch);
    if (!watch)
        return vc4vk_oom(device);
    VkResult result;
    int err;
    util_list_init(&watch->waits);
    watch->kms = vc4vk_display_kms(device->physical);
    watch->uevent_fd = watch->kms ? vc4vk_kms_open_uevents() : -1;
    if (watch->kms && watch->uevent_fd < 0) {
        result = fail(device, "a uevent socket", -watch->uevent_fd);
        goto fail_watch;
    }
    watch->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (watch->wake_fd < 0) {
        result = fail(device, "an eventfd", errno);
        goto fail_uevents;
    }
    err = pthread_mutex_init(&watch->lock, NULL);
    if (err) {
        result = fail(device, "a lock", err);
        goto fail_wake;
    }
    err = util_thread_create(&watch->thread, "vc4vk-display", watch_main, watch);
    if (err) {
        result = fail(device, "a thread", err);
        goto fail_lock;
    }
    *out = watch;
    return VK_SUCCESS;

fail_lock:
    pthread_mutex_destroy(&watch->lock);
fail_wake:
    close(watch->wake_fd);
fail_uevents:
    if (watch->uevent_fd >= 0)
        close(watch->uevent_fd);
fail_watch:
    free(watch);
    return result;
}

static void watch_destroy(struct vc4vk_device *device, void *state)
{
    struct watch *watch = state;
    pthread_mutex_lock(&watch->lock);
    watch->stop = true;
    pthread_mutex_unlock(&watch->lock);
    (void)eventfd_write(watch->wake_fd, 1);
    pthread_join(watch->thread, NULL);
    util_list_for_each_safe(struct wait, wait, &watch->waits, link)
        end_wait(wait, false);
    pthread_mutex_destroy(&watch->lock);
    close(watch->wake_fd);
    if (watch->uevent_fd >= 0)
        close(watch->uevent_fd);
    free(watch);
}

static const struct vc4vk_slot_ops watch_ops = {.create = watch_create, .destroy = watch_destroy};

/* -- fences ------------------------------------------------------------------------------------------------------- */

/* NULL when out of memory or of file descriptors. */
static struct wait *create_wait(struct vc4vk_device *device, const struct vc4vk_display *display)
{
    struct wait *wait = calloc(1, sizeof *wait);
    if (!wait ||
        vc4vk_external_create(&device->queue_device, VC4VK_EXTERNAL_SIGNAL, 0, &wait->payload) != VK_SUCCESS) {
        free(wait);
        return NULL;
    }
    struct vc4vk_kms_vblank vblank;
    wait->display = display;
    wait->vblank = display && !vc4vk_kms_vblank(display->kms, display->connector, &vblank) ? vblank.count : UINT64_MAX;
    return wait;
}

/* Creates a fence for an event. Its payload is temporary: after a reset the fence behaves like any other. */
static VkResult register_wait(struct vc4vk_device *device, const struct vc4vk_display *display,
                              const VkAllocationCallbacks *alloc, VkFence *fence_out)
{
    const VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    void *state;
    VkResult result = vc4vk_device_slot(device, VC4VK_SLOT_WSI, &watch_ops, &state);
    if (result == VK_SUCCESS)
        result = vc4vk_fence_create(&device->queue_device, &info, alloc, fence_out);
    if (result != VK_SUCCESS)
        return result;
    struct watch *watch = state;
    struct wait *wait = create_wait(device, display);
    if (!wait) {
        vc4vk_fence_destroy(&device->queue_device, *fence_out, alloc);
        *fence_out = VK_NULL_HANDLE;
        return vc4vk_oom(device);
    }
    vc4vk_fence_from_handle(*fence_out)->shared.temporary = vc4vk_external_ref(wait->payload);
    pthread_mutex_lock(&watch->lock);
    util_list_add_tail(&watch->waits, &wait->link);
    pthread_mutex_unlock(&watch->lock);
    (void)eventfd_write(watch->wake_fd, 1);
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_RegisterDeviceEventEXT(VkDevice device,
                                                            const VkDeviceEventInfoEXT *pDeviceEventInfo,
                                                            const VkAllocationCallbacks *pAllocator, VkFence *pFence)
{
    return register_wait(vc4vk_device_from_handle(device), NULL, pAllocator, pFence);
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_RegisterDisplayEventEXT(VkDevice device, VkDisplayKHR display,
                                                             const VkDisplayEventInfoEXT *pDisplayEventInfo,
                                                             const VkAllocationCallbacks *pAllocator, VkFence *pFence)
{
    return register_wait(vc4vk_device_from_handle(device), vc4vk_display_from_handle(display), pAllocator, pFence);
}

/* -- power and counters ------------------------------------------------------------------------------------------- */

static uint32_t vk_to_dpms(VkDisplayPowerStateEXT state)
{
    switch (state) {
    case VK_DISPLAY_POWER_STATE_SUSPEND_EXT:
        return DRM_MODE_DPMS_SUSPEND;
    case VK_DISPLAY_POWER_STATE_ON_EXT:
        return DRM_MODE_DPMS_ON;
    default:
        return DRM_MODE_DPMS_OFF;
    }
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_DisplayPowerControlEXT(VkDevice device, VkDisplayKHR _display,
                                                            const VkDisplayPowerInfoEXT *pDisplayPowerInfo)
{
    VC4VK_FROM_HANDLE(vc4vk_display, display, _display);
    int err = vc4vk_kms_set_power(display->kms, display->connector, vk_to_dpms(pDisplayPowerInfo->powerState));
    return err ? vc4vk_errorf(display, VK_ERROR_INITIALIZATION_FAILED, "display %s: power: %s", display->name,
                              err == -EACCES ? "another program is DRM master" : strerror(-err))
               : VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL vc4vk_GetSwapchainCounterEXT(VkDevice _device, VkSwapchainKHR _swapchain,
                                                            VkSurfaceCounterFlagBitsEXT counter,
                                                            uint64_t *pCounterValue)
{
    VC4VK_FROM_HANDLE(vc4vk_device, device, _device);
    struct vc4vk_swapchain *swapchain = vc4vk_swapchain_get(device, _swapchain);
    struct vc4vk_target *target = swapchain ? swapchain->target : NULL;
    VkResult result = target && target->ops->count_vblanks ? target->ops->count_vblanks(target, pCounterValue)
                                                           : VK_ERROR_OUT_OF_DATE_KHR;
    vc4vk_swapchain_put(device, swapchain);
    return result;
}
