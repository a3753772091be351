/* SPDX-License-Identifier: MIT
 *
 * vkt: the harness of the API tests. They are ordinary Vulkan applications: they reach the driver through the loader,
 * with the validation layer in between, and any validation message fails the running test.
 *
 * A scene is a function that draws one picture on whatever device it is given. Its picture is compared with computed
 * values, or with the same scene drawn by lavapipe (or the driver whose manifest VKT_REFERENCE_ICD names), within a
 * stated tolerance. A failing comparison writes NAME.expected.png, NAME.got.png and NAME.diff.png to VKT_OUT (default
 * tests-out/).
 *
 * With VKT_SPARSE all buffers and images that helpers create are sparse on the device under test, if it has such.
 *
 * VKT_KEEP_REFERENCE names a folder to which the reference's pictures are written. VKT_KEPT_REFERENCE names a folder
 * from which they are read instead of being drawn, for runs in which the reference cannot draw or is too slow.
 *
 * The helpers assert success with cmocka: a test reads as the list of what it does.
 */
#ifndef VKT_H
#define VKT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <vulkan/vulkan.h>

#define VKT_COUNT(a) (sizeof(a) / sizeof((a)[0]))

struct vkt {
    VkInstance instance;
    VkPhysicalDevice physical;
    VkPhysicalDeviceProperties properties;
    VkPhysicalDeviceMemoryProperties memory;
    VkDevice device;
    VkQueue queue;
    VkCommandPool pool;
    VkDescriptorPool descriptors;
    VkDebugUtilsMessengerEXT messenger;
    unsigned validation_messages;
    const char *accepted_message; /* vkt_accept_message */
    bool makes_sparse;            /* helpers create sparse buffers and images */
};

enum vkt_which { VKT_TESTED, VKT_REFERENCE };

/* Sets the Vulkan version that the application requests; call it before the first device is opened. From 1.1 on
 * VK_EXT_debug_utils is the only extension enabled; below 1.1 all extensions that tests need are. From 1.3 on, devices
 * have all features of core versions that they report. */
void vkt_request_version(uint32_t version);
/* The device under test and the reference, opened on first use and kept for the whole program. */
struct vkt *vkt_device(enum vkt_which which);
/* Another logical device of the same physical device, with its own queue and pools; the caller closes it. */
struct vkt vkt_device_create(const struct vkt *t);
/* The same with extensions. */
struct vkt vkt_device_create_with(const struct vkt *t, const char *const *extensions, uint32_t count);
/* The same with feature structs: a pNext chain, whose last struct is linked to those that tests always enable. */
struct vkt vkt_device_create_chain(const struct vkt *t, const char *const *extensions, uint32_t count, void *chain);
/* The same with all features of sparse resources that the device reports. */
struct vkt vkt_device_create_sparse(const struct vkt *t, const char *const *extensions, uint32_t count);
/* Whether the physical device reports the device extension. */
bool vkt_has_extension(const struct vkt *t, const char *name);
void vkt_device_close(struct vkt *again);
/* For a child of fork(): forgets the devices that the parent opened with vkt_device; the next use opens new ones. */
void vkt_forget_devices(void);
/* Makes the process fail at exit if the driver or the test leaks (vkt_leaks.c). vkt_device and vkt_present_open call it
 * before they create anything. */
void vkt_check_leaks_at_exit(void);
/* Keeps the driver, the reference and the layer in memory if they are loaded, so that the leak checker can name the
 * module of each stack frame. */
void vkt_keep_libraries(void);
/* cmocka group teardown: destroys what vkt_device opened. */
int vkt_teardown(void **state);
/* cmocka test teardown: fails the test if the layer reported a message. */
int vkt_check_messages(void **state);
/* Accepts messages of the layer with this identifier ("VUID-...", or several with spaces between) until the case ends.
 * For a case that breaks a rule on purpose, or a rule that a layer gets wrong. The message need not come: older layers
 * may not report it. */
void vkt_accept_message(struct vkt *t, const char *id);

/* Ends the running case as skipped. The reason appears in the case's TAP line, where tests/summary.py requires it: a
 * skip without a reason counts as a failure. */
#define vkt_skip(reason) (vkt_skip_because(__func__, reason), skip())
void vkt_skip_because(const char *name, const char *reason);

/* A test hook of the driver, by its name "vc4vk_test_..."; fails the test when the driver does not export it. */
PFN_vkVoidFunction vkt_hook(struct vkt *t, const char *name);

#define vkt_ok(call) assert_int_equal((call), VK_SUCCESS)

/* ---------------------------------------------------------------- resources */

struct vkt_buffer {
    VkBuffer buffer;
    VkDeviceMemory memory;
    VkDeviceSize size_B;
    void *map; /* host-visible, coherent */
};

struct vkt_image {
    VkImage image;
    VkDeviceMemory memory;
    VkImageView view;
    VkFormat format;
    VkImageAspectFlags aspect;
    uint32_t width, height, depth, levels, layers;
};

struct vkt_buffer vkt_buffer_create(struct vkt *t, VkDeviceSize size_B, VkBufferUsageFlags usage, const void *data);
void vkt_buffer_destroy(struct vkt *t, struct vkt_buffer *b);

struct vkt_image_info {
    VkFormat format;
    uint32_t width, height;
    uint32_t levels, layers;      /* 0 means 1 */
    bool cube;                    /* layers 0: a cube; otherwise a cube array of that many layers */
    VkImageTiling tiling;
    VkImageUsageFlags usage;
    uint32_t depth;               /* 0: not a 3D image */
    bool line;                    /* 1D instead of 2D */
    bool array;                   /* the view is an array view */
    VkImageCreateFlags flags;     /* in addition to those implied above */
    VkSampleCountFlagBits samples; /* 0 means 1 */
    VkImageUsageFlags view_usage;  /* of the view; 0: the image's */
};
struct vkt_image vkt_image_create(struct vkt *t, const struct vkt_image_info *info);
void vkt_image_destroy(struct vkt *t, struct vkt_image *image);

/* Binds the whole of a sparse buffer or image to memory of its size, block by block, and waits. A buffer's blocks come
 * in their order, so that mapped memory is the buffer; those of an image in the opposite one. */
void vkt_bind_sparse_buffer(struct vkt *t, VkBuffer buffer, VkDeviceMemory memory);
void vkt_bind_sparse_image(struct vkt *t, VkImage image, VkDeviceMemory memory);

/* Fills one level of one layer from tightly packed texels and leaves the image in SHADER_READ_ONLY_OPTIMAL. Upload
 * level 0 of layer 0 first: that upload takes all subresources out of UNDEFINED. */
void vkt_image_upload(struct vkt *t, struct vkt_image *image, uint32_t level, uint32_t layer, const void *texels,
                      uint32_t size_B);

VkSampler vkt_sampler_create(struct vkt *t, VkFilter filter, VkSamplerMipmapMode mip, VkSamplerAddressMode wrap,
                             float max_lod);

/* ---------------------------------------------------------------- passes and pipelines */

struct vkt_target {
    struct vkt_image color;     /* image is VK_NULL_HANDLE if there is none */
    struct vkt_image depth;
    VkRenderPass pass;          /* clears and stores both attachments, ends in TRANSFER_SRC_OPTIMAL */
    VkRenderPass pass_load;     /* loads both instead; compatible with the framebuffer */
    VkFramebuffer framebuffer;
    uint32_t width, height;
};

struct vkt_target vkt_target_create(struct vkt *t, uint32_t width, uint32_t height, VkFormat color, VkFormat depth);
void vkt_target_destroy(struct vkt *t, struct vkt_target *target);

struct vkt_shader {
    const uint32_t *words;
    size_t size_B;
};
#define VKT_SHADER(array) ((struct vkt_shader){(array), sizeof(array)})

struct vkt_pipeline_info {
    struct vkt_shader vs, fs, gs, tcs, tes; /* the last three: none if it has no words */
    struct vkt_shader ms, ts;               /* mesh and task; with `ms` there is no `vs`, nor vertex input */
    const VkPipelineTessellationStateCreateInfo *tessellation;
    VkRenderPass pass;
    uint32_t subpass;
    const VkVertexInputBindingDescription *bindings;
    uint32_t binding_count;
    const VkVertexInputAttributeDescription *attributes;
    uint32_t attribute_count;
    VkPrimitiveTopology topology;        /* VKT_TRIANGLES: triangle list; 0: points */
    bool primitive_restart;
    VkCullModeFlags cull;
    VkFrontFace front_face;
    bool depth_test, depth_write, stencil_test, rasterizer_discard;
    VkCompareOp depth_compare;
    VkStencilOpState stencil;            /* both faces */
    VkPipelineColorBlendAttachmentState blend; /* for every attachment; write mask 0 means all */
    const VkPipelineColorBlendAttachmentState *blends; /* overrides `blend`: one per attachment, used as is */
    uint32_t color_count;                /* 0 means 1 */
    bool no_color;                       /* the subpass has no colour attachment */
    float blend_constants[4];
    bool logic_op_enable;
    VkLogicOp logic_op;
    uint32_t width, height;              /* static viewport and scissor over the whole target */
    uint32_t viewport_count;             /* 0 means 1 */
    const VkViewport *viewports;         /* overrides width and height; as many scissors */
    const VkRect2D *scissors;
    const VkDynamicState *dynamic;
    uint32_t dynamic_count;
    bool counts_are_dynamic; /* of viewports and scissors, which `dynamic` then has */
    VkDescriptorSetLayout set_layouts[4];
    uint32_t set_layout_count;
    uint32_t push_size_B;                /* vertex and fragment */
    VkShaderStageFlags push_stages;      /* in addition to these */
    const VkSpecializationInfo *fs_spec, *spec; /* of the fragment stage; of the stages before it */
    VkPipelineCache cache;
    const VkPipelineMultisampleStateCreateInfo *multisample; /* NULL: one sample */
    const void *next; /* pNext of the create info */
    VkPipelineCreateFlags flags;
    VkPolygonMode polygon_mode;                              /* default: fill */
    bool depth_bias_enable, depth_clamp_enable;
    struct {
        float constant, clamp, slope;
    } depth_bias;
    const void *vertex_input_next;       /* pNext */
    const void *rasterization_next;      /* pNext */
    const void *viewport_next;           /* pNext */
    const VkStencilOpState *stencil_back; /* instead of `stencil` */
    bool may_fail;                        /* a failure is accepted; `pipeline` is then VK_NULL_HANDLE */
};

struct vkt_pipeline {
    VkPipeline pipeline;
    VkPipelineLayout layout;
};

#define VKT_TRIANGLES VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST

VkShaderModule vkt_module_create(struct vkt *t, struct vkt_shader shader);
struct vkt_pipeline vkt_pipeline_create(struct vkt *t, const struct vkt_pipeline_info *info);
void vkt_pipeline_destroy(struct vkt *t, struct vkt_pipeline *p);

/* ---------------------------------------------------------------- descriptors */

struct vkt_binding {
    VkDescriptorType type;
    VkShaderStageFlags stages;
    uint32_t count; /* 0 means 1 */
};
VkDescriptorSetLayout vkt_set_layout_create(struct vkt *t, const struct vkt_binding *bindings, uint32_t count);
VkDescriptorSet vkt_set_alloc(struct vkt *t, VkDescriptorSetLayout layout);
void vkt_set_texture(struct vkt *t, VkDescriptorSet set, uint32_t binding, VkImageView view, VkSampler sampler);
/* Writes a storage image descriptor, in layout GENERAL. */
void vkt_set_image(struct vkt *t, VkDescriptorSet set, uint32_t binding, uint32_t element, VkImageView view);
void vkt_set_texel_buffer(struct vkt *t, VkDescriptorSet set, uint32_t binding, VkDescriptorType type,
                          VkBufferView view);
void vkt_set_buffer(struct vkt *t, VkDescriptorSet set, uint32_t binding, VkDescriptorType type, VkBuffer buffer,
                    VkDeviceSize offset_B, VkDeviceSize range_B);

/* ---------------------------------------------------------------- commands */

VkCommandBuffer vkt_begin(struct vkt *t);                    /* may be submitted several times */
/* A secondary command buffer with simultaneous use. It continues a render pass if `inherits` names one. */
VkCommandBuffer vkt_begin_inheriting(struct vkt *t, const VkCommandBufferInheritanceInfo *inherits);
/* A secondary command buffer for a subpass, without a framebuffer in its inheritance. */
VkCommandBuffer vkt_begin_secondary(struct vkt *t, VkRenderPass pass, uint32_t subpass);
/* Full barrier: transitions the whole image from one layout to another and orders all earlier commands before all later
 * ones. */
void vkt_image_barrier(VkCommandBuffer cmd, const struct vkt_image *image, VkImageLayout from, VkImageLayout to);
void vkt_submit(struct vkt *t, VkCommandBuffer cmd);         /* submits and waits; keeps the command buffer */
void vkt_end_submit(struct vkt *t, VkCommandBuffer cmd);     /* ends, submits, waits, frees */

void vkt_begin_pass(VkCommandBuffer cmd, const struct vkt_target *target, const float clear[4], float clear_depth,
                    uint32_t clear_stencil);

/* ---------------------------------------------------------------- compute */

struct vkt_compute {
    VkPipeline pipeline;
    VkPipelineLayout layout;
    VkDescriptorSetLayout set_layouts[4];
    uint32_t set_count;
};

/* Takes ownership of the set layouts. */
struct vkt_compute vkt_compute_create(struct vkt *t, struct vkt_shader shader, const VkDescriptorSetLayout *sets,
                                      uint32_t set_count, uint32_t push_B, const VkSpecializationInfo *spec);
/* With one set, which has storage buffers at bindings 0 and up (at most three). */
struct vkt_compute vkt_compute_create_simple(struct vkt *t, struct vkt_shader shader, uint32_t buffer_count,
                                             uint32_t push_B, const VkSpecializationInfo *spec);
void vkt_compute_destroy(struct vkt *t, struct vkt_compute *c);
void vkt_compute_bind(VkCommandBuffer cmd, const struct vkt_compute *c, const VkDescriptorSet *sets);
/* Allocates a set of the first layout and writes these storage buffers to it. */
VkDescriptorSet vkt_compute_set(struct vkt *t, const struct vkt_compute *c, const struct vkt_buffer *buffers,
                                uint32_t count);
/* A zeroed storage buffer; `more`: further usages. */
struct vkt_buffer vkt_storage_buffer(struct vkt *t, uint32_t words, VkBufferUsageFlags more);
/* Full barrier: orders all earlier commands before all later ones. */
void vkt_barrier_all(VkCommandBuffer cmd);

/* ---------------------------------------------------------------- pictures */

struct vkt_picture {
    uint32_t width, height;
    uint8_t *rgba; /* malloc'ed, R in byte 0 */
};

/* Copies the colour target (in TRANSFER_SRC_OPTIMAL, 8-bit RGBA or BGRA) to host memory. */
struct vkt_picture vkt_read_target(struct vkt *t, const struct vkt_target *target);
/* Draws one triangle without vertex buffers over a cleared R8G8B8A8_UNORM target of `size_px` by `size_px`. */
struct vkt_picture vkt_draw_triangle(struct vkt *t, struct vkt_shader vs, struct vkt_shader fs, uint32_t size_px);
/* Copies one level of one layer of an image in TRANSFER_SRC_OPTIMAL, without conversion. */
void vkt_read_image(struct vkt *t, const struct vkt_image *image, uint32_t level, uint32_t layer, void *out,
                    uint32_t size_B);
void vkt_picture_free(struct vkt_picture *p);
/* If VKT_PICTURES names a file, appends a line with the hash of the texels read from the tested device, so that two
 * runs can be compared byte for byte. VKT_NOTED_PICTURES names one in VKT_OUT/pictures, which each run writes anew. */
void vkt_log_picture_hash(struct vkt *t, const struct vkt_image *image, uint32_t level, uint32_t layer,
                          const void *texels, uint32_t size_B);
/* The same for a mapped buffer, if VKT_BUFFERS is set. vkt_buffer_destroy calls it. */
void vkt_log_buffer_hash(struct vkt *t, const struct vkt_buffer *b);

struct vkt_tolerance {
    unsigned channel;      /* a pixel is bad if a channel differs by more than this */
    unsigned bad_permille; /* this many pixels in a thousand may be bad (edges) */
};

void vkt_compare(const char *name, const struct vkt_picture *expected, const struct vkt_picture *got,
                 struct vkt_tolerance tolerance);
/* Computes a picture by calling `pixel` for each pixel. */
struct vkt_picture vkt_picture_compute(uint32_t width, uint32_t height,
                                       void (*pixel)(uint32_t x, uint32_t y, uint8_t rgba_out[4]));
/* Draws the scene on both devices and compares. */
void vkt_compare_with_reference(const char *name, void (*scene)(struct vkt *t, struct vkt_picture *out),
                                struct vkt_tolerance tolerance);

#endif
