/* SPDX-License-Identifier: MIT
 *
 * Preloaded into API tests: lets them use descriptor buffers (VK_EXT_descriptor_buffer) instead of descriptor sets of
 * pools, without their knowing. A set becomes a piece of a buffer: writes go through vkGetDescriptorEXT, copies copy
 * bytes, binding sets an offset. So everything that the tests prove of sets is proved of descriptor buffers as well.
 *
 * Left as they are: layouts with dynamic buffers and for pushes, which cannot be in descriptor buffers, and devices
 * without the extension (the reference). A pipeline may then have sets of both kinds, which Vulkan does not allow, so
 * the validation layer must be off. Programs that write sets with update templates, or copy descriptors between sets of
 * both kinds, cannot be run so.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

#define ARENA_B      (UINT64_C(160) << 20) /* of the buffer that all sets of a device share */
#define MAX_BINDINGS 512u
#define MAX_DEVICES  16u
#define MAX_COMMANDS 4096u

#define EXPORT     __attribute__((visibility("default")))
#define NEXT(fn)   ((PFN_##fn)next(#fn))
#define MAX2(a, b) ((a) > (b) ? (a) : (b))

static void check(bool holds)
{
    if (holds)
        return;
    fprintf(stderr, "in_buffers: the test cannot use descriptor buffers\n");
    abort();
}

static void *next(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    check(found != NULL);
    return found;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---------------------------------------------------------------- devices */

struct device {
    VkDevice handle; /* NULL: free */
    VkPhysicalDevice physical;
    VkPhysicalDeviceDescriptorBufferPropertiesEXT properties;
    PFN_vkGetDescriptorEXT get;
    PFN_vkGetDescriptorSetLayoutSizeEXT layout_size;
    PFN_vkGetDescriptorSetLayoutBindingOffsetEXT binding_offset;
    PFN_vkCmdBindDescriptorBuffersEXT bind;
    PFN_vkCmdSetDescriptorBufferOffsetsEXT set_offsets;
    PFN_vkGetBufferDeviceAddressKHR address_of;
    VkBuffer buffer;
    VkDeviceMemory memory;
    VkDeviceAddress address;
    uint8_t *map;
    VkDeviceSize used_B;
    uint32_t set_count;
};

static struct device devices[MAX_DEVICES];
static bool has_begun; /* the program has created a device */

static struct device *device_of(VkDevice handle)
{
    for (uint32_t i = 0; i < MAX_DEVICES; i++)
        if (devices[i].handle == handle)
            return &devices[i];
    return NULL;
}

static void create_arena(struct device *d)
{
    VkPhysicalDeviceMemoryProperties memory;
    VkMemoryRequirements needs;
    uint32_t type = 0;
    const VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .size = ARENA_B,
                                     .usage = VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT |
                                              VK_BUFFER_USAGE_SAMPLER_DESCRIPTOR_BUFFER_BIT_EXT |
                                              VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT};
    VkResult result = NEXT(vkCreateBuffer)(d->handle, &info, NULL, &d->buffer);
    check(result == VK_SUCCESS);
    vkGetBufferMemoryRequirements(d->handle, d->buffer, &needs);
    vkGetPhysicalDeviceMemoryProperties(d->physical, &memory);
    while (!(needs.memoryTypeBits >> type & 1) || (memory.memoryTypes[type].propertyFlags & wanted) != wanted)
        type++;
    const VkMemoryAllocateFlagsInfo flags = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
                                             .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT};
    result = vkAllocateMemory(d->handle,
                              &(VkMemoryAllocateInfo){.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                                      .pNext = &flags,
                                                      .allocationSize = needs.size,
                                                      .memoryTypeIndex = type},
                              NULL, &d->memory);
    check(result == VK_SUCCESS);
    result = vkBindBufferMemory(d->handle, d->buffer, d->memory, 0);
    check(result == VK_SUCCESS);
    result = vkMapMemory(d->handle, d->memory, 0, VK_WHOLE_SIZE, 0, (void **)&d->map);
    check(result == VK_SUCCESS);
    d->address =
        d->address_of(d->handle, &(VkBufferDeviceAddressInfo){.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                                                              .buffer = d->buffer});
}

static bool has_extension(VkPhysicalDevice physical, const char *name)
{
    uint32_t count = 0;
    vkEnumerateDeviceExtensionProperties(physical, NULL, &count, NULL);
    VkExtensionProperties *all = calloc(count + 1, sizeof *all);
    bool has = false;
    vkEnumerateDeviceExtensionProperties(physical, NULL, &count, all);
    for (uint32_t i = 0; i < count; i++)
        has |= !strcmp(all[i].extensionName, name);
    free(all);
    return has;
}

static bool is_listed(const VkDeviceCreateInfo *info, const char *name)
{
    bool is = false;
    for (uint32_t i = 0; i < info->enabledExtensionCount; i++)
        is |= !strcmp(info->ppEnabledExtensionNames[i], name);
    return is;
}

#define FIND(member, fn) d->member = (PFN_##fn)vkGetDeviceProcAddr(d->handle, #fn)

EXPORT VkResult vkCreateDevice(VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
                               const VkAllocationCallbacks *alloc, VkDevice *out)
{
    static const char *const added[] = {VK_EXT_DESCRIPTOR_BUFFER_EXTENSION_NAME,
                                        VK_KHR_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME,
                                        VK_KHR_GET_MEMORY_REQUIREMENTS_2_EXTENSION_NAME};
    VkDeviceCreateInfo more = *info;
    if (!has_extension(physical, added[0]))
        return NEXT(vkCreateDevice)(physical, info, alloc, out);
    const char **names = calloc(info->enabledExtensionCount + 3, sizeof *names);
    for (uint32_t i = 0; i < info->enabledExtensionCount; i++)
        names[i] = info->ppEnabledExtensionNames[i];
    for (uint32_t i = 0; i < 3; i++)
        if (!is_listed(info, added[i]))
            names[more.enabledExtensionCount++] = added[i];
    more.ppEnabledExtensionNames = names;
    VkResult result = NEXT(vkCreateDevice)(physical, &more, alloc, out);
    free(names);
    if (result != VK_SUCCESS)
        return result;
    pthread_mutex_lock(&lock);
    struct device *d = device_of(NULL);
    check(d != NULL);
    *d = (struct device){.handle = *out, .physical = physical};
    has_begun = true;
    pthread_mutex_unlock(&lock);
    FIND(get, vkGetDescriptorEXT);
    FIND(layout_size, vkGetDescriptorSetLayoutSizeEXT);
    FIND(binding_offset, vkGetDescriptorSetLayoutBindingOffsetEXT);
    FIND(bind, vkCmdBindDescriptorBuffersEXT);
    FIND(set_offsets, vkCmdSetDescriptorBufferOffsetsEXT);
    FIND(address_of, vkGetBufferDeviceAddressKHR);
    check(d->get && d->layout_size && d->binding_offset && d->bind && d->set_offsets && d->address_of);
    d->properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_PROPERTIES_EXT;
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                              .pNext = &d->properties};
    vkGetPhysicalDeviceProperties2(physical, &properties);
    create_arena(d);
    return VK_SUCCESS;
}

/* ---------------------------------------------------------------- buffers and buffer views */

struct range { /* of a buffer, or of a buffer view */
    struct range *next;
    uint64_t handle;
    VkBuffer buffer;
    VkDeviceSize offset_B, size_B;
    VkFormat format;
};

static struct range *ranges;

static void add_range(uint64_t handle, VkBuffer buffer, VkDeviceSize offset_B, VkDeviceSize size_B, VkFormat format)
{
    struct range *r = malloc(sizeof *r);
    check(r != NULL);
    pthread_mutex_lock(&lock);
    *r = (struct range){ranges, handle, buffer, offset_B, size_B, format};
    ranges = r;
    pthread_mutex_unlock(&lock);
}

static void remove_range(uint64_t handle)
{
    pthread_mutex_lock(&lock);
    for (struct range **at = &ranges; *at; at = &(*at)->next)
        if ((*at)->handle == handle) {
            struct range *gone = *at;
            *at = gone->next;
            free(gone);
            break;
        }
    pthread_mutex_unlock(&lock);
}

static struct range range_of(uint64_t handle)
{
    struct range out = {0};
    pthread_mutex_lock(&lock);
    for (struct range *r = ranges; r; r = r->next)
        if (r->handle == handle)
            out = *r;
    pthread_mutex_unlock(&lock);
    return out;
}

#define HANDLE(h) ((uint64_t)(uintptr_t)(h))

EXPORT VkResult vkCreateBuffer(VkDevice device, const VkBufferCreateInfo *info, const VkAllocationCallbacks *alloc,
                               VkBuffer *out)
{
    VkResult result = NEXT(vkCreateBuffer)(device, info, alloc, out);
    if (result == VK_SUCCESS)
        add_range(HANDLE(*out), *out, 0, info->size, VK_FORMAT_UNDEFINED);
    return result;
}

EXPORT void vkDestroyBuffer(VkDevice device, VkBuffer buffer, const VkAllocationCallbacks *alloc)
{
    remove_range(HANDLE(buffer));
    NEXT(vkDestroyBuffer)(device, buffer, alloc);
}

EXPORT VkResult vkCreateBufferView(VkDevice device, const VkBufferViewCreateInfo *info,
                                   const VkAllocationCallbacks *alloc, VkBufferView *out)
{
    VkResult result = NEXT(vkCreateBufferView)(device, info, alloc, out);
    const VkDeviceSize end_B = range_of(HANDLE(info->buffer)).size_B;
    if (result == VK_SUCCESS)
        add_range(HANDLE(*out), info->buffer, info->offset,
                  info->range == VK_WHOLE_SIZE ? end_B - info->offset : info->range, info->format);
    return result;
}

EXPORT void vkDestroyBufferView(VkDevice device, VkBufferView view, const VkAllocationCallbacks *alloc)
{
    remove_range(HANDLE(view));
    NEXT(vkDestroyBufferView)(device, view, alloc);
}

/* ---------------------------------------------------------------- layouts */

struct binding {
    VkDescriptorType type;
    uint32_t count;
    const VkSampler *immutable;
    size_t stride_B; /* 1 for inline uniform blocks */
    VkDeviceSize offset_B;
};

struct layout {
    struct layout *next;
    VkDescriptorSetLayout handle;
    uint32_t users; /* sets, and 1 until it is destroyed */
    VkDeviceSize size_B;
    uint32_t binding_count;
    struct binding bindings[MAX_BINDINGS]; /* by number */
};

static struct layout *layouts;

static struct layout *layout_of(VkDescriptorSetLayout handle)
{
    struct layout *found = NULL;
    pthread_mutex_lock(&lock);
    for (struct layout *l = layouts; l && !found; l = l->next)
        if (l->handle == handle)
            found = l;
    pthread_mutex_unlock(&lock);
    return found;
}

static void release(struct layout *l)
{
    pthread_mutex_lock(&lock);
    const bool is_last = --l->users == 0;
    pthread_mutex_unlock(&lock);
    for (uint32_t i = 0; is_last && i < l->binding_count; i++)
        free((void *)l->bindings[i].immutable);
    if (is_last)
        free(l);
}

static size_t size_of(const struct device *d, VkDescriptorType type)
{
    switch (type) {
    case VK_DESCRIPTOR_TYPE_SAMPLER:
        return d->properties.samplerDescriptorSize;
    case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
        return d->properties.combinedImageSamplerDescriptorSize;
    case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
        return d->properties.sampledImageDescriptorSize;
    case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
        return d->properties.storageImageDescriptorSize;
    case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
        return d->properties.uniformTexelBufferDescriptorSize;
    case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
        return d->properties.storageTexelBufferDescriptorSize;
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
        return d->properties.uniformBufferDescriptorSize;
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
        return d->properties.storageBufferDescriptorSize;
    case VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT:
        return d->properties.inputAttachmentDescriptorSize;
    case VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK:
        return 1;
    default:
        return 0;
    }
}

static const void *find(const void *chain, VkStructureType type)
{
    for (const VkBaseInStructure *s = chain; s; s = s->pNext)
        if (s->sType == type)
            return s;
    return NULL;
}

static size_t stride_of(const struct device *d, const VkDescriptorSetLayoutCreateInfo *info, uint32_t i)
{
    const VkMutableDescriptorTypeCreateInfoEXT *lists =
        find(info->pNext, VK_STRUCTURE_TYPE_MUTABLE_DESCRIPTOR_TYPE_CREATE_INFO_EXT);
    size_t largest = size_of(d, info->pBindings[i].descriptorType);
    for (uint32_t t = 0;
         info->pBindings[i].descriptorType == VK_DESCRIPTOR_TYPE_MUTABLE_EXT && lists &&
         i < lists->mutableDescriptorTypeListCount && t < lists->pMutableDescriptorTypeLists[i].descriptorTypeCount;
         t++)
        largest = MAX2(largest, size_of(d, lists->pMutableDescriptorTypeLists[i].pDescriptorTypes[t]));
    return largest;
}

static bool can_convert(const struct device *d, const VkDescriptorSetLayoutCreateInfo *info)
{
    bool can = d && !(info->flags & VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR);
    for (uint32_t i = 0; i < info->bindingCount; i++)
        can = can && info->pBindings[i].descriptorType != VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC &&
              info->pBindings[i].descriptorType != VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC &&
              info->pBindings[i].binding < MAX_BINDINGS;
    return can;
}

static void fill_layout(const struct device *d, struct layout *l, const VkDescriptorSetLayoutCreateInfo *info)
{
    d->layout_size(d->handle, l->handle, &l->size_B);
    for (uint32_t i = 0; i < info->bindingCount; i++) {
        const VkDescriptorSetLayoutBinding *in = &info->pBindings[i];
        struct binding *b = &l->bindings[in->binding];
        *b = (struct binding){in->descriptorType, in->descriptorCount, NULL, stride_of(d, info, i), 0};
        l->binding_count = MAX2(l->binding_count, in->binding + 1);
        d->binding_offset(d->handle, l->handle, in->binding, &b->offset_B);
        if (!in->pImmutableSamplers ||
            (b->type != VK_DESCRIPTOR_TYPE_SAMPLER && b->type != VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER))
            continue;
        VkSampler *copy = calloc(b->count + 1, sizeof *copy);
        memcpy(copy, in->pImmutableSamplers, b->count * sizeof *copy);
        b->immutable = copy;
    }
}

EXPORT VkResult vkCreateDescriptorSetLayout(VkDevice device, const VkDescriptorSetLayoutCreateInfo *info,
                                            const VkAllocationCallbacks *alloc, VkDescriptorSetLayout *out)
{
    const struct device *d = device_of(device);
    VkDescriptorSetLayoutCreateInfo converted = *info;
    converted.flags &= ~(VkDescriptorSetLayoutCreateFlags)VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT;
    converted.flags |= VK_DESCRIPTOR_SET_LAYOUT_CREATE_DESCRIPTOR_BUFFER_BIT_EXT;
    if (!can_convert(d, info) || NEXT(vkCreateDescriptorSetLayout)(device, &converted, alloc, out) != VK_SUCCESS)
        return NEXT(vkCreateDescriptorSetLayout)(device, info, alloc, out);
    struct layout *l = calloc(1, sizeof *l);
    check(l != NULL);
    l->handle = *out;
    l->users = 1;
    fill_layout(d, l, info);
    pthread_mutex_lock(&lock);
    l->next = layouts;
    layouts = l;
    pthread_mutex_unlock(&lock);
    return VK_SUCCESS;
}

EXPORT void vkDestroyDescriptorSetLayout(VkDevice device, VkDescriptorSetLayout handle,
                                         const VkAllocationCallbacks *alloc)
{
    struct layout *l = layout_of(handle);
    pthread_mutex_lock(&lock);
    for (struct layout **at = &layouts; l && *at; at = &(*at)->next)
        if (*at == l) {
            *at = l->next;
            break;
        }
    pthread_mutex_unlock(&lock);
    if (l)
        release(l);
    NEXT(vkDestroyDescriptorSetLayout)(device, handle, alloc);
}

/* ---------------------------------------------------------------- sets */

struct set {
    struct set *next;
    struct device *device;
    VkDescriptorPool pool;
    struct layout *layout;
    VkDeviceSize offset_B; /* in the arena */
};

static struct set *sets;
static uint32_t made; /* since the program has begun */

/* A test that has used no descriptor buffer has proved nothing of them. */
__attribute__((destructor)) static void report(void)
{
    if (!has_begun)
        return;
    fprintf(stderr, "# sets in descriptor buffers: %u\n", made);
    check(made > 0);
}

static struct set *set_of(VkDescriptorSet handle)
{
    struct set *found = NULL;
    pthread_mutex_lock(&lock);
    for (struct set *s = sets; s && !found; s = s->next)
        if (s == (void *)(uintptr_t)handle)
            found = s;
    pthread_mutex_unlock(&lock);
    return found;
}

static uint8_t *element_of(const struct set *s, uint32_t binding, uint32_t element)
{
    const struct binding *b = &s->layout->bindings[binding];
    return s->device->map + s->offset_B + b->offset_B + element * b->stride_B;
}

static void get(const struct set *s, uint32_t binding, uint32_t element, const VkDescriptorGetInfoEXT *info)
{
    uint8_t *at = element_of(s, binding, element);
    s->device->get(s->device->handle, info, size_of(s->device, info->type), at);
}

static void write_immutable(const struct set *s, uint32_t binding)
{
    const struct binding *b = &s->layout->bindings[binding];
    for (uint32_t e = 0; b->immutable && b->type == VK_DESCRIPTOR_TYPE_SAMPLER && e < b->count; e++)
        get(s, binding, e,
            &(VkDescriptorGetInfoEXT){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_GET_INFO_EXT,
                                      .type = b->type,
                                      .data.pSampler = &b->immutable[e]});
}

static VkDescriptorSet create_set(struct device *d, VkDescriptorPool pool, struct layout *l)
{
    struct set *s = calloc(1, sizeof *s);
    check(s != NULL);
    pthread_mutex_lock(&lock);
    if (!d->set_count)
        d->used_B = 0;
    *s = (struct set){sets, d, pool, l, d->used_B};
    d->used_B += (l->size_B + 255) & ~UINT64_C(255);
    check(d->used_B <= ARENA_B);
    d->set_count++;
    made++;
    l->users++;
    sets = s;
    pthread_mutex_unlock(&lock);
    memset(d->map + s->offset_B, 0, l->size_B);
    for (uint32_t i = 0; i < l->binding_count; i++)
        write_immutable(s, i);
    return (VkDescriptorSet)(uintptr_t)s;
}

/* Destroys a set, or those of a pool. */
static bool destroy_sets(const struct set *one, VkDescriptorPool pool)
{
    bool any = false;
    for (;;) {
        struct set *gone = NULL;
        pthread_mutex_lock(&lock);
        for (struct set **at = &sets; *at && !gone; at = &(*at)->next)
            if (one ? *at == one : (*at)->pool == pool) {
                gone = *at;
                *at = gone->next;
                gone->device->set_count--;
                break;
            }
        pthread_mutex_unlock(&lock);
        if (!gone)
            return any;
        any = true;
        release(gone->layout);
        free(gone);
        if (one)
            return true;
    }
}

EXPORT VkResult vkAllocateDescriptorSets(VkDevice device, const VkDescriptorSetAllocateInfo *info, VkDescriptorSet *out)
{
    VkResult result = VK_SUCCESS;
    uint32_t converted = 0;
    for (uint32_t i = 0; i < info->descriptorSetCount; i++)
        converted += layout_of(info->pSetLayouts[i]) != NULL;
    if (!converted)
        return NEXT(vkAllocateDescriptorSets)(device, info, out);
    for (uint32_t i = 0; i < info->descriptorSetCount && result == VK_SUCCESS; i++) {
        struct layout *l = layout_of(info->pSetLayouts[i]);
        VkDescriptorSetAllocateInfo one = *info;
        one.descriptorSetCount = 1;
        one.pSetLayouts = &info->pSetLayouts[i];
        if (l)
            out[i] = create_set(device_of(device), info->descriptorPool, l);
        else
            result = NEXT(vkAllocateDescriptorSets)(device, &one, &out[i]);
    }
    return result;
}

EXPORT VkResult vkFreeDescriptorSets(VkDevice device, VkDescriptorPool pool, uint32_t count,
                                     const VkDescriptorSet *handles)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct set *s = handles[i] ? set_of(handles[i]) : NULL;
        if (!s || !destroy_sets(s, pool))
            NEXT(vkFreeDescriptorSets)(device, pool, 1, &handles[i]);
    }
    return VK_SUCCESS;
}

EXPORT VkResult vkResetDescriptorPool(VkDevice device, VkDescriptorPool pool, VkDescriptorPoolResetFlags flags)
{
    destroy_sets(NULL, pool);
    return NEXT(vkResetDescriptorPool)(device, pool, flags);
}

EXPORT void vkDestroyDescriptorPool(VkDevice device, VkDescriptorPool pool, const VkAllocationCallbacks *alloc)
{
    if (pool)
        destroy_sets(NULL, pool);
    NEXT(vkDestroyDescriptorPool)(device, pool, alloc);
}

EXPORT void vkDestroyDevice(VkDevice device, const VkAllocationCallbacks *alloc)
{
    struct device *d = device ? device_of(device) : NULL;
    if (d) {
        NEXT(vkDestroyBuffer)(device, d->buffer, NULL);
        vkFreeMemory(device, d->memory, NULL);
        pthread_mutex_lock(&lock);
        d->handle = NULL;
        pthread_mutex_unlock(&lock);
    }
    NEXT(vkDestroyDevice)(device, alloc);
}

/* ---------------------------------------------------------------- updates */

/* Continues in the following bindings, as updates do. */
static void settle(const struct set *s, uint32_t *binding, uint32_t *element)
{
    while (*binding < s->layout->binding_count && *element >= s->layout->bindings[*binding].count) {
        *element -= s->layout->bindings[*binding].count;
        ++*binding;
    }
    check(*binding < s->layout->binding_count);
}

static void write_image(const struct set *s, VkDescriptorType type, uint32_t binding, uint32_t element,
                        const VkDescriptorImageInfo *in)
{
    const VkSampler *immutable = s->layout->bindings[binding].immutable;
    VkDescriptorImageInfo info = *in;
    VkDescriptorGetInfoEXT wanted = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_GET_INFO_EXT, .type = type};
    if (immutable)
        info.sampler = immutable[element];
    if (type == VK_DESCRIPTOR_TYPE_SAMPLER)
        wanted.data.pSampler = &info.sampler;
    else
        wanted.data.pCombinedImageSampler = &info; /* the members of the union for images are alike */
    get(s, binding, element, &wanted);
}

/* `info` without an address for what is not bound. */
static void write_address(const struct set *s, VkDescriptorType type, uint32_t binding, uint32_t element,
                          VkBuffer buffer, VkDescriptorAddressInfoEXT info)
{
    VkDescriptorGetInfoEXT wanted = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_GET_INFO_EXT, .type = type};
    info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_ADDRESS_INFO_EXT;
    if (buffer)
        info.address += s->device->address_of(
            s->device->handle,
            &(VkBufferDeviceAddressInfo){.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, .buffer = buffer});
    wanted.data.pUniformBuffer = buffer ? &info : NULL; /* the members of the union for buffers are alike */
    get(s, binding, element, &wanted);
}

static void write_element(const struct set *s, const VkWriteDescriptorSet *w, uint32_t i, uint32_t binding,
                          uint32_t element)
{
    switch (w->descriptorType) {
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER: {
        const VkDescriptorBufferInfo *b = &w->pBufferInfo[i];
        const VkDeviceSize rest_B = range_of(HANDLE(b->buffer)).size_B - b->offset;
        write_address(
            s, w->descriptorType, binding, element, b->buffer,
            (VkDescriptorAddressInfoEXT){.address = b->offset, .range = b->range == VK_WHOLE_SIZE ? rest_B : b->range});
        break;
    }
    case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER: {
        const struct range r = range_of(HANDLE(w->pTexelBufferView[i]));
        write_address(s, w->descriptorType, binding, element, r.buffer,
                      (VkDescriptorAddressInfoEXT){.address = r.offset_B, .range = r.size_B, .format = r.format});
        break;
    }
    default:
        write_image(s, w->descriptorType, binding, element, &w->pImageInfo[i]);
        break;
    }
}

static void write_set(const struct set *s, const VkWriteDescriptorSet *w)
{
    uint32_t binding = w->dstBinding, element = w->dstArrayElement;
    if (w->descriptorType == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK) {
        const VkWriteDescriptorSetInlineUniformBlock *block =
            find(w->pNext, VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_INLINE_UNIFORM_BLOCK);
        memcpy(element_of(s, binding, element), block->pData, block->dataSize);
        return;
    }
    for (uint32_t i = 0; i < w->descriptorCount; i++, element++) {
        settle(s, &binding, &element);
        write_element(s, w, i, binding, element);
    }
}

static void copy_set(const VkCopyDescriptorSet *c)
{
    const struct set *from = set_of(c->srcSet), *to = set_of(c->dstSet);
    uint32_t from_binding = c->srcBinding, from_element = c->srcArrayElement, to_binding = c->dstBinding,
             to_element = c->dstArrayElement;
    check(from && to); /* between both kinds nothing can be copied */
    for (uint32_t i = 0; i < c->descriptorCount; i++, from_element++, to_element++) {
        settle(from, &from_binding, &from_element);
        settle(to, &to_binding, &to_element);
        const size_t a = from->layout->bindings[from_binding].stride_B, b = to->layout->bindings[to_binding].stride_B;
        memmove(element_of(to, to_binding, to_element), element_of(from, from_binding, from_element), a < b ? a : b);
    }
}

EXPORT void vkUpdateDescriptorSets(VkDevice device, uint32_t write_count, const VkWriteDescriptorSet *writes,
                                   uint32_t copy_count, const VkCopyDescriptorSet *copies)
{
    for (uint32_t i = 0; i < write_count; i++) {
        const struct set *s = set_of(writes[i].dstSet);
        if (s)
            write_set(s, &writes[i]);
        else
            NEXT(vkUpdateDescriptorSets)(device, 1, &writes[i], 0, NULL);
    }
    for (uint32_t i = 0; i < copy_count; i++)
        if (set_of(copies[i].srcSet) || set_of(copies[i].dstSet))
            copy_set(&copies[i]);
        else
            NEXT(vkUpdateDescriptorSets)(device, 0, NULL, 1, &copies[i]);
}

/* ---------------------------------------------------------------- commands */

static VkCommandBuffer with_buffer[MAX_COMMANDS]; /* those that have bound the device's arena */
static uint32_t with_buffer_count;

/* Whether the command buffer has not bound it before. */
static bool note_buffer(VkCommandBuffer cmd)
{
    bool is_new = true;
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; i < with_buffer_count; i++)
        is_new &= with_buffer[i] != cmd;
    if (is_new) {
        check(with_buffer_count < MAX_COMMANDS);
        with_buffer[with_buffer_count++] = cmd;
    }
    pthread_mutex_unlock(&lock);
    return is_new;
}

EXPORT VkResult vkBeginCommandBuffer(VkCommandBuffer cmd, const VkCommandBufferBeginInfo *info)
{
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; i < with_buffer_count; i++)
        if (with_buffer[i] == cmd)
            with_buffer[i--] = with_buffer[--with_buffer_count];
    pthread_mutex_unlock(&lock);
    return NEXT(vkBeginCommandBuffer)(cmd, info);
}

EXPORT void vkCmdBindDescriptorSets(VkCommandBuffer cmd, VkPipelineBindPoint point, VkPipelineLayout layout,
                                    uint32_t first, uint32_t count, const VkDescriptorSet *handles,
                                    uint32_t offset_count, const uint32_t *offsets)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct set *s = handles[i] ? set_of(handles[i]) : NULL;
        if (!s) { /* offsets of dynamic buffers cannot be told apart: only one set of a call has some */
            NEXT(vkCmdBindDescriptorSets)(cmd, point, layout, first + i, 1, &handles[i], offset_count, offsets);
            continue;
        }
        if (note_buffer(cmd))
            s->device->bind(
                cmd, 1,
                &(VkDescriptorBufferBindingInfoEXT){.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_BUFFER_BINDING_INFO_EXT,
                                                    .address = s->device->address,
                                                    .usage = VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT |
                                                             VK_BUFFER_USAGE_SAMPLER_DESCRIPTOR_BUFFER_BIT_EXT});
        const uint32_t index = 0;
        s->device->set_offsets(cmd, point, layout, first + i, 1, &index, &s->offset_B);
    }
}
