/* SPDX-License-Identifier: MIT
 *
 * The screen of the machine "vc4": a device "vc4-display", which is nothing but glue around libvc4_v3d_device.so, and
 * the nodes that make the kernel find HVS, pixel valves, and a panel at the DPI output. Written for QEMU 7.2 to 10.0.
 *
 * The picture is composed when QEMU asks for it: by a display's timer, or for a screendump. Nothing is composed while
 * nobody looks.
 */
#include "qemu/osdep.h"
#include <dlfcn.h>
#include "qapi/error.h"
#include "qemu/main-loop.h"
#include "qemu/module.h"
#include "hw/arm/fdt.h"
#include "hw/arm/virt.h"
#include "hw/boards.h"
#include "hw/irq.h"
#include "hw/qdev-properties.h"
#include "hw/sysbus.h"
#include "ui/console.h"
#if __has_include("system/device_tree.h")
#include "system/device_tree.h"
#else
#include "sysemu/device_tree.h"
#endif
#include "vc4_board.h"
#include "vc4vk/board_display.h"

/* -- the library --------------------------------------------------------------------------------------------------- */

struct library {
    unsigned (*version)(void);
    int (*create)(const struct board_display_machine *machine, struct board_display **out);
    void (*destroy)(struct board_display *display);
    uint32_t (*size_B)(enum board_display_block block);
    uint32_t (*read)(struct board_display *display, enum board_display_block block, uint32_t offset);
    void (*write)(struct board_display *display, enum board_display_block block, uint32_t offset, uint32_t value);
    bool (*interrupt)(struct board_display *display, enum board_display_block block);
    void (*reset)(struct board_display *display);
    bool (*mode)(struct board_display *display, unsigned screen, uint32_t *width_px_out, uint32_t *height_px_out);
    bool (*compose)(struct board_display *display, unsigned screen, uint32_t *pixels, uint32_t width_px,
                    uint32_t height_px, uint32_t stride_px);
};

static bool find_symbols(void *handle, struct library *out)
{
    *(void **)&out->version = dlsym(handle, "board_display_version");
    *(void **)&out->create = dlsym(handle, "board_display_create");
    *(void **)&out->destroy = dlsym(handle, "board_display_destroy");
    *(void **)&out->size_B = dlsym(handle, "board_display_size_B");
    *(void **)&out->read = dlsym(handle, "board_display_read");
    *(void **)&out->write = dlsym(handle, "board_display_write");
    *(void **)&out->interrupt = dlsym(handle, "board_display_interrupt");
    *(void **)&out->reset = dlsym(handle, "board_display_reset");
    *(void **)&out->mode = dlsym(handle, "board_display_mode");
    *(void **)&out->compose = dlsym(handle, "board_display_compose");
    return out->version && out->create && out->destroy && out->size_B && out->read && out->write && out->interrupt &&
           out->reset && out->mode && out->compose;
}

static bool load_library(const char *path, struct library *out, Error **errp)
{
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        error_setg(errp, "vc4-display: %s", dlerror());
        return false;
    }
    if (!find_symbols(handle, out) || out->version() != BOARD_DISPLAY_VERSION) {
        error_setg(errp, "vc4-display: %s is not of the version that this QEMU was built for", path);
        dlclose(handle);
        return false;
    }
    return true;
}

/* -- the device ---------------------------------------------------------------------------------------------------- */

#define TYPE_VC4_DISPLAY "vc4-display"
OBJECT_DECLARE_SIMPLE_TYPE(Vc4DisplayState, VC4_DISPLAY)

enum { INTERRUPTS = BOARD_DISPLAY_DPI }; /* the blocks before it have one each */

struct block {
    Vc4DisplayState *device;
    enum board_display_block which;
    MemoryRegion registers;
    qemu_irq irq;
};

struct Vc4DisplayState {
    SysBusDevice parent_obj;
    struct block block[BOARD_DISPLAY_BLOCKS];
    QEMUBH *irq_bh;
    QemuConsole *console;
    struct library library;
    struct board_display *display;

    /* properties */
    char *library_path;
    MemoryRegion *memory; /* the guest's RAM */
    uint64_t memory_addr;
    uint32_t screen;              /* that the console shows */
    uint32_t pixel_clock_hz;      /* of all screens */
    uint32_t width_px, height_px; /* of the console while the screen is off */
};

static void update_irq(Vc4DisplayState *s, unsigned block)
{
    if (block < INTERRUPTS)
        qemu_set_irq(s->block[block].irq, s->library.interrupt(s->display, block));
}

static void update_irqs(void *opaque)
{
    for (unsigned block = 0; block < INTERRUPTS; block++)
        update_irq(opaque, block);
}

static uint64_t vc4_display_read(void *opaque, hwaddr offset, unsigned size)
{
    const struct block *block = opaque;
    return block->device->library.read(block->device->display, block->which, (uint32_t)offset);
}

static void vc4_display_write(void *opaque, hwaddr offset, uint64_t value, unsigned size)
{
    const struct block *block = opaque;
    Vc4DisplayState *s = block->device;
    s->library.write(s->display, block->which, (uint32_t)offset, (uint32_t)value);
    update_irq(s, block->which); /* before the guest goes on: it has cleared the interrupt, perhaps */
}

static const MemoryRegionOps vc4_display_ops = {
    .read = vc4_display_read,
    .write = vc4_display_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = {.min_access_size = 4, .max_access_size = 4},
    .impl = {.min_access_size = 4, .max_access_size = 4},
};

/* Called by a thread of the library, too, which does not hold QEMU's lock. */
static void interrupt_changed(void *data, enum board_display_block block)
{
    Vc4DisplayState *s = data;
    qemu_bh_schedule(s->irq_bh);
}

static void vc4_display_reset(DeviceState *dev)
{
    Vc4DisplayState *s = VC4_DISPLAY(dev);
    s->library.reset(s->display);
    update_irqs(s);
}

/* Composes into the console's surface, which gets the size of the screen. */
static void vc4_display_update(void *opaque)
{
    Vc4DisplayState *s = opaque;
    uint32_t width_px, height_px;
    if (!s->library.mode(s->display, s->screen, &width_px, &height_px)) {
        width_px = s->width_px;
        height_px = s->height_px;
    }
    DisplaySurface *surface = qemu_console_surface(s->console);
    if (!surface || surface_width(surface) != (int)width_px || surface_height(surface) != (int)height_px) {
        surface = qemu_create_displaysurface((int)width_px, (int)height_px);
        dpy_gfx_replace_surface(s->console, surface);
    }
    s->library.compose(s->display, s->screen, surface_data(surface), width_px, height_px,
                       (uint32_t)surface_stride(surface) / 4);
    dpy_gfx_update(s->console, 0, 0, (int)width_px, (int)height_px);
}

static const GraphicHwOps vc4_display_console_ops = {
    .gfx_update = vc4_display_update,
};

static bool check_properties(const Vc4DisplayState *s, Error **errp)
{
    if (!s->memory)
        error_setg(errp, "vc4-display: no memory");
    else if (s->memory_addr + memory_region_size(s->memory) > UINT32_MAX)
        error_setg(errp, "vc4-display: the blocks' addresses have 32 bits: use less memory");
    else if (s->screen >= BOARD_DISPLAY_SCREENS)
        error_setg(errp, "vc4-display: screen %u: there are screens 0 to %u", s->screen, BOARD_DISPLAY_SCREENS - 1);
    else if (!s->width_px || !s->height_px || s->width_px > BOARD_DISPLAY_MAX_PX || s->height_px > BOARD_DISPLAY_MAX_PX)
        error_setg(errp, "vc4-display: %u x %u pixels: 1 to %u are possible", s->width_px, s->height_px,
                   BOARD_DISPLAY_MAX_PX);
    else
        return true;
    return false;
}

static void vc4_display_realize(DeviceState *dev, Error **errp)
{
    Vc4DisplayState *s = VC4_DISPLAY(dev);
    if (!check_properties(s, errp))
        return;
    const bool has_path = s->library_path && *s->library_path;
    if (!load_library(has_path ? s->library_path : "libvc4_v3d_device.so", &s->library, errp))
        return;
    struct board_display_machine machine = {
        .memory = memory_region_get_ram_ptr(s->memory),
        .memory_addr = (uint32_t)s->memory_addr,
        .memory_size_B = (uint32_t)memory_region_size(s->memory),
        .interrupt_changed = interrupt_changed,
        .data = s,
    };
    for (unsigned screen = 0; screen < BOARD_DISPLAY_SCREENS; screen++)
        machine.pixel_clock_hz[screen] = s->pixel_clock_hz;
    s->irq_bh = qemu_bh_new(update_irqs, s);
    const int err = s->library.create(&machine, &s->display);
    if (err) {
        error_setg(errp, "vc4-display: %s", strerror(-err));
        qemu_bh_delete(s->irq_bh);
        return;
    }
    s->console = graphic_console_init(dev, 0, &vc4_display_console_ops, s);
}

static void vc4_display_unrealize(DeviceState *dev)
{
    Vc4DisplayState *s = VC4_DISPLAY(dev);
    graphic_console_close(s->console);
    s->library.destroy(s->display);
    s->display = NULL;
    qemu_bh_delete(s->irq_bh);
}

/* Memory regions have the numbers of the blocks, and so have interrupts. The sizes are those of the device tree. */
static void vc4_display_init(Object *obj)
{
    static const uint32_t sizes_B[BOARD_DISPLAY_BLOCKS] = {0x6000, 0x100, 0x100, 0x100, 0x100};
    Vc4DisplayState *s = VC4_DISPLAY(obj);
    for (unsigned i = 0; i < BOARD_DISPLAY_BLOCKS; i++) {
        s->block[i].device = s;
        s->block[i].which = i;
        memory_region_init_io(&s->block[i].registers, obj, &vc4_display_ops, &s->block[i], TYPE_VC4_DISPLAY,
                              sizes_B[i]);
        sysbus_init_mmio(SYS_BUS_DEVICE(obj), &s->block[i].registers);
        if (i < INTERRUPTS)
            sysbus_init_irq(SYS_BUS_DEVICE(obj), &s->block[i].irq);
    }
}

static Property vc4_display_properties[] = {
    DEFINE_PROP_STRING("library", Vc4DisplayState, library_path),
    DEFINE_PROP_LINK("memory", Vc4DisplayState, memory, TYPE_MEMORY_REGION, MemoryRegion *),
    DEFINE_PROP_UINT64("memory-addr", Vc4DisplayState, memory_addr, 0),
    DEFINE_PROP_UINT32("screen", Vc4DisplayState, screen, 0),
    DEFINE_PROP_UINT32("pixel-clock-hz", Vc4DisplayState, pixel_clock_hz, 0),
    DEFINE_PROP_UINT32("width", Vc4DisplayState, width_px, 800),
    DEFINE_PROP_UINT32("height", Vc4DisplayState, height_px, 480),
#ifdef DEFINE_PROP_END_OF_LIST
    DEFINE_PROP_END_OF_LIST(),
#endif
};

static void set_reset(DeviceClass *dc)
{
#if QEMU_VERSION_MAJOR > 9 || (QEMU_VERSION_MAJOR == 9 && QEMU_VERSION_MINOR >= 2)
    device_class_set_legacy_reset(dc, vc4_display_reset);
#else
    dc->reset = vc4_display_reset;
#endif
}

static void vc4_display_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);
    dc->desc = "display blocks of VideoCore IV, around vc4vk's model";
    dc->realize = vc4_display_realize;
    dc->unrealize = vc4_display_unrealize;
    dc->user_creatable = false;
    set_reset(dc);
    device_class_set_props(dc, vc4_display_properties);
}

static const TypeInfo vc4_display_info = {
    .name = TYPE_VC4_DISPLAY,
    .parent = TYPE_SYS_BUS_DEVICE,
    .instance_size = sizeof(Vc4DisplayState),
    .instance_init = vc4_display_init,
    .class_init = vc4_display_class_init,
};

static void vc4_display_register_types(void)
{
    type_register_static(&vc4_display_info);
}

type_init(vc4_display_register_types)

/* -- the machine's part -------------------------------------------------------------------------------------------- */

/* Addresses and interrupts that "virt" leaves free. */
static const struct {
    const char *node, *compatible;
    uint32_t addr, size_B;
    int irq;
} blocks[BOARD_DISPLAY_BLOCKS] = {
    {"/hvs@9200000", "brcm,bcm2835-hvs", 0x09200000, 0x6000, 12},
    {"/pixelvalve@9210000", "brcm,bcm2835-pixelvalve0", 0x09210000, 0x100, 13},
    {"/pixelvalve@9220000", "brcm,bcm2835-pixelvalve1", 0x09220000, 0x100, 14},
    {"/pixelvalve@9230000", "brcm,bcm2835-pixelvalve2", 0x09230000, 0x100, 15},
    {"/dpi@9240000", "brcm,bcm2835-dpi", 0x09240000, 0x100, -1},
};

/* The panel: 800 x 480 at exactly 60 Hz. */
#define PIXEL_CLOCK_HZ 29232000u /* 928 x 525 x 60 */
#define CORE_CLOCK_HZ  250000000u

static const struct {
    const char *name;
    uint32_t value;
} panel_timing[] = {
    {"clock-frequency", PIXEL_CLOCK_HZ},
    {"hactive", 800},
    {"hfront-porch", 40},
    {"hsync-len", 48},
    {"hback-porch", 40},
    {"vactive", 480},
    {"vfront-porch", 13},
    {"vsync-len", 3},
    {"vback-porch", 29},
    {"hsync-active", 0},
    {"vsync-active", 0},
    {"de-active", 1},
    {"pixelclk-active", 1},
};

/* A clock that cannot be changed: the driver asks for the panel's rate, and it has that. */
static uint32_t add_clock(void *fdt, const char *node, uint32_t rate_hz)
{
    const uint32_t phandle = qemu_fdt_alloc_phandle(fdt);
    vc4_add_node(fdt, node, "fixed-clock", 0, 0, -1);
    qemu_fdt_setprop_cell(fdt, node, "#clock-cells", 0);
    qemu_fdt_setprop_cell(fdt, node, "clock-frequency", rate_hz);
    qemu_fdt_setprop_cell(fdt, node, "phandle", phandle);
    return phandle;
}

/* A port with one endpoint below a node. */
static void add_port(void *fdt, const char *port, const char *endpoint, uint32_t phandle, uint32_t remote)
{
    qemu_fdt_add_subnode(fdt, port);
    qemu_fdt_add_subnode(fdt, endpoint);
    qemu_fdt_setprop_cell(fdt, endpoint, "phandle", phandle);
    qemu_fdt_setprop_cell(fdt, endpoint, "remote-endpoint", remote);
}

/* The simplest panel that panel-simple drives: no power supply (it takes a dummy), backlight or pin. */
static void add_panel(void *fdt, const char *panel)
{
    const uint32_t at_dpi = qemu_fdt_alloc_phandle(fdt), at_panel = qemu_fdt_alloc_phandle(fdt);
    vc4_add_node(fdt, panel, "panel-dpi", 0, 0, -1);
    qemu_fdt_setprop_cell(fdt, panel, "width-mm", 154);
    qemu_fdt_setprop_cell(fdt, panel, "height-mm", 86);
    qemu_fdt_add_subnode(fdt, "/panel/panel-timing");
    for (unsigned i = 0; i < ARRAY_SIZE(panel_timing); i++)
        qemu_fdt_setprop_cell(fdt, "/panel/panel-timing", panel_timing[i].name, panel_timing[i].value);
    add_port(fdt, "/panel/port", "/panel/port/endpoint", at_panel, at_dpi);
    add_port(fdt, "/dpi@9240000/port", "/dpi@9240000/port/endpoint", at_dpi, at_panel);
}

static void add_nodes(void *fdt)
{
    static const char clock_names[] = "core\0pixel";
    const char *dpi = blocks[BOARD_DISPLAY_DPI].node;
    const uint32_t core = add_clock(fdt, "/vc4-core-clock", CORE_CLOCK_HZ);
    const uint32_t pixel = add_clock(fdt, "/vc4-pixel-clock", PIXEL_CLOCK_HZ);
    /* The last one first, for each node is put before the others: so the first valve becomes the first CRTC. */
    for (unsigned i = BOARD_DISPLAY_BLOCKS; i-- > 0;)
        vc4_add_node(fdt, blocks[i].node, blocks[i].compatible, blocks[i].addr, blocks[i].size_B, blocks[i].irq);
    qemu_fdt_setprop_cells(fdt, dpi, "clocks", core, pixel);
    qemu_fdt_setprop(fdt, dpi, "clock-names", clock_names, sizeof clock_names);
    add_panel(fdt, "/panel");
}

void vc4_add_display(MachineState *machine, const char *library)
{
    VirtMachineState *vms = VIRT_MACHINE(machine);
    DeviceState *dev = qdev_new(TYPE_VC4_DISPLAY);
    if (!VC4_DISPLAY(dev)->library_path)
        qdev_prop_set_string(dev, "library", library);
    object_property_set_link(OBJECT(dev), "memory", OBJECT(machine->ram), &error_fatal);
    qdev_prop_set_uint64(dev, "memory-addr", vms->memmap[VIRT_MEM].base);
    qdev_prop_set_uint32(dev, "pixel-clock-hz", PIXEL_CLOCK_HZ);
    sysbus_realize_and_unref(SYS_BUS_DEVICE(dev), &error_fatal);
    for (unsigned i = 0; i < BOARD_DISPLAY_BLOCKS; i++) {
        sysbus_mmio_map(SYS_BUS_DEVICE(dev), i, blocks[i].addr);
        if (i < INTERRUPTS)
            sysbus_connect_irq(SYS_BUS_DEVICE(dev), i, qdev_get_gpio_in(vms->gic, blocks[i].irq));
    }
    add_nodes(machine->fdt);
}
