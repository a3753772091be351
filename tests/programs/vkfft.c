/* SPDX-License-Identifier: MIT
 *
 * vkfft OUT.txt: transforms by VkFFT, compared with the defining sums, which are computed here in double precision.
 * OUT.txt gets a line for each transform: what it is, and whether it and the way back agree. The exit status is 1 if
 * one fails.
 */
#define VKFFT_BACKEND 0
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>
#include <glslang_c_interface.h>
#include <vkFFT.h>

enum kind { COMPLEX, REAL, COSINE };
enum precision { HALF, SINGLE, DOUBLE };

struct gpu {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue;
    VkCommandPool pool;
    VkFence fence;
};

struct transform {
    enum kind kind;
    enum precision precision;
    uint32_t size[3];
    uint32_t type; /* of a cosine transform: 2, 3 or 4 */
};

static const struct transform transforms[] = {
    {COMPLEX, SINGLE, {2, 1, 1}},    {COMPLEX, SINGLE, {7, 1, 1}},     {COMPLEX, SINGLE, {17, 1, 1}},
    {COMPLEX, SINGLE, {60, 1, 1}},   {COMPLEX, SINGLE, {97, 1, 1}},    {COMPLEX, SINGLE, {256, 1, 1}},
    {COMPLEX, SINGLE, {343, 1, 1}},  {COMPLEX, SINGLE, {1000, 1, 1}},  {COMPLEX, SINGLE, {4096, 1, 1}},
    {COMPLEX, SINGLE, {64, 32, 1}},  {COMPLEX, SINGLE, {35, 22, 1}},   {COMPLEX, SINGLE, {16, 8, 12}},
    {COMPLEX, DOUBLE, {60, 1, 1}},   {COMPLEX, DOUBLE, {1024, 1, 1}},  {COMPLEX, DOUBLE, {16, 12, 1}},
    {COMPLEX, HALF, {60, 1, 1}},     {COMPLEX, HALF, {256, 1, 1}},     {REAL, SINGLE, {64, 1, 1}},
    {REAL, SINGLE, {100, 1, 1}},     {REAL, SINGLE, {34, 21, 1}},      {REAL, DOUBLE, {64, 1, 1}},
    {COSINE, SINGLE, {16, 1, 1}, 2}, {COSINE, SINGLE, {100, 1, 1}, 2}, {COSINE, SINGLE, {100, 1, 1}, 3},
    {COSINE, SINGLE, {16, 1, 1}, 4},
};

static const double tolerances[] = {[HALF] = 1e-2, [SINGLE] = 2e-5, [DOUBLE] = 1e-11};
static const size_t number_B[] = {[HALF] = 2, [SINGLE] = 4, [DOUBLE] = 8};

static void need(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "vkfft: %s failed\n", what);
    exit(2);
}

/* ---------------------------------------------------------------- device and buffer */

static void open_gpu(struct gpu *gpu)
{
    const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                           .apiVersion = VK_API_VERSION_1_2};
    need(!vkCreateInstance(
             &(VkInstanceCreateInfo){.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application},
             NULL, &gpu->instance),
         "vkCreateInstance");
    uint32_t count = 1;
    vkEnumeratePhysicalDevices(gpu->instance, &count, &gpu->physical);
    need(count, "finding a device");
    VkPhysicalDeviceVulkan12Features v12 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
    VkPhysicalDeviceVulkan11Features v11 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
                                            .pNext = &v12};
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, .pNext = &v11};
    vkGetPhysicalDeviceFeatures2(gpu->physical, &features);
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    need(!vkCreateDevice(gpu->physical,
                         &(VkDeviceCreateInfo){.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                               .pNext = &features,
                                               .queueCreateInfoCount = 1,
                                               .pQueueCreateInfos = &queue},
                         NULL, &gpu->device),
         "vkCreateDevice");
    vkGetDeviceQueue(gpu->device, 0, 0, &gpu->queue);
    need(!vkCreateCommandPool(gpu->device,
                              &(VkCommandPoolCreateInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                                         .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT},
                              NULL, &gpu->pool),
         "vkCreateCommandPool");
    need(!vkCreateFence(gpu->device, &(VkFenceCreateInfo){.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO}, NULL,
                        &gpu->fence),
         "vkCreateFence");
}

/* A mapped buffer, which lives as long as the process. */
static VkBuffer make_buffer(const struct gpu *gpu, uint64_t size_B, void **map)
{
    VkBuffer buffer;
    VkDeviceMemory memory;
    VkMemoryRequirements needs;
    VkPhysicalDeviceMemoryProperties properties;
    const VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    const VkBufferUsageFlags usage =
        VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    need(!vkCreateBuffer(
             gpu->device,
             &(VkBufferCreateInfo){.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size_B, .usage = usage}, NULL,
             &buffer),
         "vkCreateBuffer");
    vkGetBufferMemoryRequirements(gpu->device, buffer, &needs);
    vkGetPhysicalDeviceMemoryProperties(gpu->physical, &properties);
    uint32_t type = 0;
    while (type < properties.memoryTypeCount &&
           (!(needs.memoryTypeBits >> type & 1) || (properties.memoryTypes[type].propertyFlags & wanted) != wanted))
        type++;
    need(!vkAllocateMemory(gpu->device,
                           &(VkMemoryAllocateInfo){.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                                   .allocationSize = needs.size,
                                                   .memoryTypeIndex = type},
                           NULL, &memory),
         "vkAllocateMemory");
    vkBindBufferMemory(gpu->device, buffer, memory, 0);
    need(!vkMapMemory(gpu->device, memory, 0, VK_WHOLE_SIZE, 0, map), "vkMapMemory");
    return buffer;
}

static void run(struct gpu *gpu, VkFFTApplication *application, VkBuffer *buffer, int direction)
{
    VkCommandBuffer cmd;
    vkAllocateCommandBuffers(gpu->device,
                             &(VkCommandBufferAllocateInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                                            .commandPool = gpu->pool,
                                                            .commandBufferCount = 1},
                             &cmd);
    vkBeginCommandBuffer(cmd, &(VkCommandBufferBeginInfo){.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO});
    VkFFTLaunchParams launch = {.commandBuffer = &cmd, .buffer = buffer};
    need(!VkFFTAppend(application, direction, &launch), "VkFFTAppend");
    need(!vkEndCommandBuffer(cmd), "vkEndCommandBuffer");
    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &cmd};
    need(!vkQueueSubmit(gpu->queue, 1, &submit, gpu->fence), "vkQueueSubmit");
    need(!vkWaitForFences(gpu->device, 1, &gpu->fence, VK_TRUE, UINT64_MAX), "vkWaitForFences");
    vkResetFences(gpu->device, 1, &gpu->fence);
    vkFreeCommandBuffers(gpu->device, gpu->pool, 1, &cmd);
}

/* ---------------------------------------------------------------- numbers */

static double get(const void *numbers, enum precision precision, size_t i)
{
    return precision == HALF     ? (double)((const _Float16 *)numbers)[i]
           : precision == SINGLE ? (double)((const float *)numbers)[i]
                                 : ((const double *)numbers)[i];
}

static void put(void *numbers, enum precision precision, size_t i, double value)
{
    if (precision == HALF)
        ((_Float16 *)numbers)[i] = (_Float16)value;
    else if (precision == SINGLE)
        ((float *)numbers)[i] = (float)value;
    else
        ((double *)numbers)[i] = value;
}

/* Replaces `n` values, `stride` apart, by their Fourier transform. */
static void fourier(double complex *values, uint32_t n, uint32_t stride)
{
    double complex *sums = calloc(2 * (size_t)n, sizeof *sums), *roots = sums + n;
    for (uint32_t i = 0; i < n; i++)
        roots[i] = cexp(-2 * I * M_PI * i / n);
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = 0; i < n; i++)
            sums[k] += values[(size_t)i * stride] * roots[(uint64_t)i * k % n];
    for (uint32_t k = 0; k < n; k++)
        values[(size_t)k * stride] = sums[k];
    free(sums);
}

static double cosine(const double *values, uint32_t n, uint32_t k, uint32_t type)
{
    double sum = type == 3 ? values[0] : 0;
    for (uint32_t i = type == 3; i < n; i++)
        sum += 2 * values[i] * cos(M_PI * (type == 3 ? i : i + 0.5) * (type == 2 ? k : k + 0.5) / n);
    return sum;
}

/* ---------------------------------------------------------------- a transform */

/* Rows are padded where real numbers become one complex number more than half their count. */
static size_t row_numbers(const struct transform *t)
{
    return t->kind == COMPLEX ? 2 * (size_t)t->size[0]
           : t->kind == REAL  ? 2 * (size_t)(t->size[0] / 2 + 1)
                              : t->size[0];
}

/* The error of the transform in `got`, relative to the expected one as a whole. */
static double forward_error(const struct transform *t, const double *before, const void *got)
{
    const uint32_t a = t->size[0], b = t->size[1], c = t->size[2], rows = b * c;
    const size_t row = row_numbers(t), shown = t->kind == REAL ? a / 2 + 1 : a;
    double complex *values = calloc((size_t)a * rows, sizeof *values);
    double error = 0, all = 0;
    for (uint32_t r = 0; r < rows; r++)
        for (uint32_t i = 0; i < a; i++)
            values[(size_t)r * a + i] = t->kind == COMPLEX ? before[r * row + 2 * i] + I * before[r * row + 2 * i + 1]
                                        : t->kind == REAL  ? before[r * row + i]
                                                           : cosine(before, a, i, t->type);
    for (uint32_t r = 0; r < rows && t->kind != COSINE; r++)
        fourier(values + (size_t)r * a, a, 1);
    for (uint32_t i = 0; i < a * c && b > 1; i++)
        fourier(values + (size_t)(i / a) * a * b + i % a, b, a);
    for (uint32_t i = 0; i < a * b && c > 1; i++)
        fourier(values + i, c, a * b);
    for (uint32_t r = 0; r < rows; r++)
        for (size_t i = 0; i < shown; i++) {
            const double complex expected = values[(size_t)r * a + i];
            const size_t at = r * row + (t->kind == COSINE ? i : 2 * i);
            const double re = get(got, t->precision, at) - creal(expected);
            const double im = t->kind == COSINE ? 0 : get(got, t->precision, at + 1) - cimag(expected);
            error += re * re + im * im;
            all += creal(expected) * creal(expected) + cimag(expected) * cimag(expected);
        }
    free(values);
    return sqrt(error / all);
}

static double backward_error(const struct transform *t, const double *before, const void *got, size_t count)
{
    const size_t row = row_numbers(t), used = t->kind == REAL ? t->size[0] : row;
    double error = 0, all = 0;
    for (size_t i = 0; i < count; i++)
        if (i % row < used) {
            error += pow(get(got, t->precision, i) - before[i], 2);
            all += before[i] * before[i];
        }
    return sqrt(error / all);
}

static bool agrees(struct gpu *gpu, const struct transform *t)
{
    const size_t row = row_numbers(t), count = row * t->size[1] * t->size[2];
    const size_t used = t->kind == REAL ? t->size[0] : row;
    void *map;
    pfUINT size_B = count * number_B[t->precision];
    VkBuffer buffer = make_buffer(gpu, size_B, &map);
    double *before = calloc(count, sizeof *before);
    uint32_t state = 1;
    for (size_t i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u;
        put(map, t->precision, i, i % row < used ? (state >> 8) / 8388608.0 - 1 : 0);
        before[i] = get(map, t->precision, i);
    }
    VkFFTConfiguration configuration = {.FFTdim = t->size[2] > 1   ? 3
                                                  : t->size[1] > 1 ? 2
                                                                   : 1,
                                        .size = {t->size[0], t->size[1], t->size[2]},
                                        .physicalDevice = &gpu->physical,
                                        .device = &gpu->device,
                                        .queue = &gpu->queue,
                                        .commandPool = &gpu->pool,
                                        .fence = &gpu->fence,
                                        .isCompilerInitialized = 1,
                                        .buffer = &buffer,
                                        .bufferSize = &size_B,
                                        .halfPrecision = t->precision == HALF,
                                        .doublePrecision = t->precision == DOUBLE,
                                        .performR2C = t->kind == REAL,
                                        .performDCT = t->type,
                                        .normalize = 1};
    VkFFTApplication application = {0};
    need(!initializeVkFFT(&application, configuration), "initializeVkFFT");
    run(gpu, &application, &buffer, -1);
    const double there = forward_error(t, before, map);
    run(gpu, &application, &buffer, 1);
    const double back = backward_error(t, before, map, count);
    deleteVkFFT(&application);
    free(before);
    printf("off by %g, and by %g on the way back\n", there, back);
    return there <= tolerances[t->precision] && back <= tolerances[t->precision];
}

int main(int argc, char **argv)
{
    static const char *const kinds[] = {"complex", "real", "cosine"}, *const precisions[] = {"half", "single",
                                                                                             "double"};
    struct gpu gpu;
    FILE *out = argc > 1 ? fopen(argv[1], "w") : NULL;
    need(out, "opening OUT.txt");
    open_gpu(&gpu);
    need(glslang_initialize_process(), "glslang_initialize_process");
    bool good = true;
    for (size_t i = 0; i < sizeof transforms / sizeof *transforms; i++) {
        const struct transform *t = &transforms[i];
        char name[80];
        snprintf(name, sizeof name, "%s %s %u x %u x %u type %u", kinds[t->kind], precisions[t->precision], t->size[0],
                 t->size[1], t->size[2], t->type);
        printf("%s: ", name);
        const bool agree = agrees(&gpu, t);
        good &= agree;
        fprintf(out, "%s %s\n", name, agree ? "agrees" : "differs");
    }
    return fclose(out) || !good;
}
