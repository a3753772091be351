/* SPDX-License-Identifier: MIT
 *
 * Bad input returns the error that Vulkan names and has no other effect: no device, invalid shaders, unsupported
 * features and extensions.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "vkt.h"
#include "color.frag.h"

static void shaders_that_are_none(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    uint32_t words[64];
    VkShaderModule module;
    VkShaderModuleCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .pCode = words};

    memset(words, 0xab, sizeof words);
    info.codeSize = sizeof words;
    assert_int_equal(vkCreateShaderModule(t->device, &info, NULL, &module), VK_ERROR_INVALID_SHADER_NV);

    memcpy(words, color_frag, sizeof words); /* cut off in the middle */
    assert_int_equal(vkCreateShaderModule(t->device, &info, NULL, &module), VK_ERROR_INVALID_SHADER_NV);

    memcpy(words, color_frag, sizeof words);
    words[3] = 0x7fffffff; /* an ID bound whose tables would take gigabytes */
    assert_int_equal(vkCreateShaderModule(t->device, &info, NULL, &module), VK_ERROR_INVALID_SHADER_NV);
}

static void unknown_extension_and_feature(void **state)
{
    struct vkt *t = vkt_device(VKT_TESTED);
    const char *extension = "VK_KHR_acceleration_structure";
    VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                     .queueCount = 1,
                                     .pQueuePriorities = &(float){1}};
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                               .queueCreateInfoCount = 1,
                               .pQueueCreateInfos = &queue,
                               .enabledExtensionCount = 1,
                               .ppEnabledExtensionNames = &extension};
    VkDevice device;
    assert_int_equal(vkCreateDevice(t->physical, &info, NULL, &device), VK_ERROR_EXTENSION_NOT_PRESENT);
    info.enabledExtensionCount = 0;
    info.pEnabledFeatures = &(VkPhysicalDeviceFeatures){.sparseResidencyImage2D = VK_TRUE};
    assert_int_equal(vkCreateDevice(t->physical, &info, NULL, &device), VK_ERROR_FEATURE_NOT_PRESENT);
}

/* Runs a function in a forked child, which can set its own environment. Returns the length of what it wrote to
 * stderr. */
static size_t child_stderr(void (*run)(void), char *out, size_t size_B, int *status_out)
{
    int fds[2];
    assert_int_equal(pipe(fds), 0);
    fflush(stdout);
    pid_t pid = fork();
    if (!pid) {
        dup2(fds[1], 2);
        close(fds[0]);
        run();
        _exit(99);
    }
    close(fds[1]);
    size_t used = 0;
    for (ssize_t n; used < size_B - 1 && (n = read(fds[0], out + used, size_B - 1 - used)) > 0;)
        used += (size_t)n;
    out[used] = 0;
    close(fds[0]);
    waitpid(pid, status_out, 0);
    return used;
}

static void enumerate_on(const char *device)
{
    setenv("VC4VK_DEVICE", device, 1);
    setenv("VK_ICD_FILENAMES", getenv("VKT_TESTED_ICD"), 1);
    VkInstance instance;
    if (vkCreateInstance(&(VkInstanceCreateInfo){.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO}, NULL, &instance))
        _exit(1);
    uint32_t count = 77;
    VkResult res = vkEnumeratePhysicalDevices(instance, &count, NULL);
    /* Some loaders report VK_ERROR_INITIALIZATION_FAILED when there is no device. */
    _exit((res == VK_SUCCESS && count == 0) || res == VK_ERROR_INITIALIZATION_FAILED ? 0 : 2);
}

static void enumerate_on_missing_hardware(void)
{
    enumerate_on("drm");
}

static void enumerate_on_missing_node(void)
{
    enumerate_on("/dev/dri/renderD191");
}

static void expect_no_device(void (*enumerate)(void))
{
    char text[4096];
    int status;
    child_stderr(enumerate, text, sizeof text, &status);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    unsigned lines = 0;
    for (char *line = strstr(text, "vc4vk"); line; line = strstr(line + 1, "vc4vk "))
        lines++;
    if (lines != 1)
        fail_msg("expected one line of the driver on stderr, got: '%s'", text);
}

static void no_vc4_device(void **state)
{
    if (!access("/sys/module/vc4", F_OK))
        vkt_skip("this machine may have a vc4 device, and has one under the shim");
    expect_no_device(enumerate_on_missing_hardware);
}

static void no_node_of_that_name(void **state)
{
    if (!access("/dev/dri/renderD191", F_OK))
        vkt_skip("this machine has a node /dev/dri/renderD191");
    expect_no_device(enumerate_on_missing_node);
}

int main(void)
{
    /* Without the layer: such input may crash it, as it does on Debian 13. */
    setenv("VKT_NO_VALIDATION", "1", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_vc4_device), /* must run before this process opens a device */
        cmocka_unit_test(no_node_of_that_name),
        cmocka_unit_test_teardown(shaders_that_are_none, vkt_check_messages),
        cmocka_unit_test_teardown(unknown_extension_and_feature, vkt_check_messages),
    };
    return cmocka_run_group_tests_name("bad_input", tests, NULL, vkt_teardown);
}
