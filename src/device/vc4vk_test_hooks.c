/* SPDX-License-Identifier: MIT
 *
 * The registry of test hooks: a small table that static constructors fill before the driver starts any thread.
 */
#include <string.h>
#include "device/vc4vk_test_hooks.h"
#include "util/debug.h"

#define MAX_HOOKS 64

static struct {
    const char *name;
    PFN_vkVoidFunction function;
} hooks[MAX_HOOKS];
static uint32_t hook_count;

void vc4vk_test_hook_register(const char *name, PFN_vkVoidFunction function)
{
    assert(hook_count < MAX_HOOKS);
    if (hook_count < MAX_HOOKS) {
        hooks[hook_count].name = name;
        hooks[hook_count++].function = function;
    }
}

PFN_vkVoidFunction vc4vk_test_hook_lookup(const char *name)
{
    if (strncmp(name, "vk_test_", strlen("vk_test_")) || !util_debug(UTIL_DEBUG_TEST_HOOKS))
        return NULL;
    for (uint32_t i = 0; i < hook_count; i++)
        if (!strcmp(hooks[i].name + strlen("vc4"), name))
            return hooks[i].function;
    return NULL;
}
