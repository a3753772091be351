/* SPDX-License-Identifier: MIT
 *
 * Properties of the display's objects, blobs, and the atomic call, which sets a list of properties.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <drm.h>
#include "shim/shim_kms.h"

enum property {
    ACTIVE = SHIM_KMS_FIRST_PROPERTY,
    MODE_ID,
    CRTC_ID,
    FB_ID,
    CRTC_X,
    CRTC_Y,
    CRTC_W,
    CRTC_H,
    SRC_X,
    SRC_Y,
    SRC_W,
    SRC_H,
    PLANE_TYPE,
    DPMS,
    LINK_STATUS,
    NON_DESKTOP,
    PROPERTY_END,
};

struct named_value {
    const char *name;
    uint64_t value;
};

/* ORDER property */
static const struct {
    const char *name;
    uint32_t flags;
    uint64_t values[2]; /* the range, or the type of object */
    struct named_value names[4];
} properties[] = {
    {"ACTIVE", DRM_MODE_PROP_RANGE | DRM_MODE_PROP_ATOMIC, {0, 1}, {{NULL, 0}}},
    {"MODE_ID", DRM_MODE_PROP_BLOB | DRM_MODE_PROP_ATOMIC, {0, 0}, {{NULL, 0}}},
    {"CRTC_ID", DRM_MODE_PROP_OBJECT | DRM_MODE_PROP_ATOMIC, {DRM_MODE_OBJECT_CRTC, 0}, {{NULL, 0}}},
    {"FB_ID", DRM_MODE_PROP_OBJECT | DRM_MODE_PROP_ATOMIC, {DRM_MODE_OBJECT_FB, 0}, {{NULL, 0}}},
    {"CRTC_X", DRM_MODE_PROP_SIGNED_RANGE | DRM_MODE_PROP_ATOMIC, {(uint64_t)INT32_MIN, INT32_MAX}, {{NULL, 0}}},
    {"CRTC_Y", DRM_MODE_PROP_SIGNED_RANGE | DRM_MODE_PROP_ATOMIC, {(uint64_t)INT32_MIN, INT32_MAX}, {{NULL, 0}}},
    {"CRTC_W", DRM_MODE_PROP_RANGE | DRM_MODE_PROP_ATOMIC, {0, INT32_MAX}, {{NULL, 0}}},
    {"CRTC_H", DRM_MODE_PROP_RANGE | DRM_MODE_PROP_ATOMIC, {0, INT32_MAX}, {{NULL, 0}}},
    {"SRC_X", DRM_MODE_PROP_RANGE | DRM_MODE_PROP_ATOMIC, {0, UINT32_MAX}, {{NULL, 0}}},
    {"SRC_Y", DRM_MODE_PROP_RANGE | DRM_MODE_PROP_ATOMIC, {0, UINT32_MAX}, {{NULL, 0}}},
    {"SRC_W", DRM_MODE_PROP_RANGE | DRM_MODE_PROP_ATOMIC, {0, UINT32_MAX}, {{NULL, 0}}},
    {"SRC_H", DRM_MODE_PROP_RANGE | DRM_MODE_PROP_ATOMIC, {0, UINT32_MAX}, {{NULL, 0}}},
    {"type",
     DRM_MODE_PROP_ENUM | DRM_MODE_PROP_IMMUTABLE,
     {0, 0},
     {{"Overlay", 0}, {"Primary", 1}, {"Cursor", 2}, {NULL, 0}}},
    {"DPMS", DRM_MODE_PROP_ENUM, {0, 0}, {{"On", 0}, {"Standby", 1}, {"Suspend", 2}, {"Off", 3}}},
    {"link-status", DRM_MODE_PROP_ENUM, {0, 0}, {{"Good", 0}, {"Bad", 1}, {NULL, 0}}},
    {"non-desktop", DRM_MODE_PROP_RANGE | DRM_MODE_PROP_IMMUTABLE, {0, 1}, {{NULL, 0}}},
};
_Static_assert(ARRAY_SIZE(properties) == PROPERTY_END - SHIM_KMS_FIRST_PROPERTY, "one row per property");

static const struct {
    uint32_t id, type;
    uint32_t properties[12]; /* terminated by 0 */
} objects[] = {
    {SHIM_KMS_CONNECTOR, DRM_MODE_OBJECT_CONNECTOR, {DPMS, LINK_STATUS, NON_DESKTOP, CRTC_ID}},
    {SHIM_KMS_ENCODER, DRM_MODE_OBJECT_ENCODER, {0}},
    {SHIM_KMS_CRTC, DRM_MODE_OBJECT_CRTC, {ACTIVE, MODE_ID}},
    {SHIM_KMS_PLANE,
     DRM_MODE_OBJECT_PLANE,
     {PLANE_TYPE, FB_ID, CRTC_ID, CRTC_X, CRTC_Y, CRTC_W, CRTC_H, SRC_X, SRC_Y, SRC_W, SRC_H}},
};

static const uint32_t *properties_of(uint32_t object, uint32_t type)
{
    for (uint32_t i = 0; i < ARRAY_SIZE(objects); i++)
        if (objects[i].id == object && (type == objects[i].type || type == DRM_MODE_OBJECT_ANY))
            return objects[i].properties;
    return NULL;
}

static bool has_property(const uint32_t *list, uint32_t property)
{
    uint32_t i = 0;
    while (i < ARRAY_SIZE(objects[0].properties) && list[i] && list[i] != property)
        i++;
    return property && i < ARRAY_SIZE(objects[0].properties) && list[i] == property;
}

/* -- values of properties ----------------------------------------------------------------------------------------- */

/* The field of the state that holds the property, or NULL. Coordinates are signed fields. */
static uint32_t *field_of(struct shim_kms_state *s, uint32_t object, uint32_t property)
{
    switch (property) {
    case ACTIVE:
        return &s->is_active;
    case MODE_ID:
        return &s->mode_blob;
    case CRTC_ID:
        return object == SHIM_KMS_PLANE ? &s->plane_crtc : &s->connector_crtc;
    case FB_ID:
        return &s->plane_fb;
    case CRTC_X:
        return (uint32_t *)&s->crtc_x;
    case CRTC_Y:
        return (uint32_t *)&s->crtc_y;
    case CRTC_W:
        return &s->crtc_w;
    case CRTC_H:
        return &s->crtc_h;
    case SRC_X:
        return &s->src_x;
    case SRC_Y:
        return &s->src_y;
    case SRC_W:
        return &s->src_w;
    case SRC_H:
        return &s->src_h;
    default:
        return NULL;
    }
}

static bool is_signed(uint32_t property)
{
    return (properties[property - SHIM_KMS_FIRST_PROPERTY].flags & DRM_MODE_PROP_EXTENDED_TYPE) ==
           DRM_MODE_PROP_SIGNED_RANGE;
}

static uint64_t value_of(uint32_t object, uint32_t property)
{
    const uint32_t *field = field_of(&shim_kms.state, object, property);
    if (field)
        return is_signed(property) ? (uint64_t)(int32_t)*field : *field;
    if (property == PLANE_TYPE)
        return 1; /* primary */
    if (property == DPMS)
        return shim_kms.state.is_active ? DRM_MODE_DPMS_ON : DRM_MODE_DPMS_OFF;
    return 0;
}

/* Atomic properties are hidden from files without the atomic client capability. */
int shim_kms_get_properties(struct shim_file *file, void *arg)
{
    struct drm_mode_obj_get_properties *args = arg;
    const uint32_t *list = properties_of(args->obj_id, args->obj_type);
    if (!list)
        return -ENOENT;
    uint32_t ids[ARRAY_SIZE(objects[0].properties)], count = 0, given = args->count_props;
    uint64_t values[ARRAY_SIZE(ids)];
    for (uint32_t i = 0; i < ARRAY_SIZE(ids) && list[i]; i++) {
        if (properties[list[i] - SHIM_KMS_FIRST_PROPERTY].flags & DRM_MODE_PROP_ATOMIC && !file->is_atomic)
            continue;
        ids[count] = list[i];
        values[count++] = value_of(args->obj_id, list[i]);
    }
    shim_kms_copy_array(args->props_ptr, &given, ids, count, sizeof ids[0]);
    shim_kms_copy_array(args->prop_values_ptr, &args->count_props, values, count, sizeof values[0]);
    return 0;
}

int shim_kms_get_property(struct shim_file *file, void *arg)
{
    struct drm_mode_get_property *args = arg;
    if (args->prop_id < SHIM_KMS_FIRST_PROPERTY || args->prop_id >= PROPERTY_END)
        return -ENOENT;
    const __typeof__(properties[0]) *p = &properties[args->prop_id - SHIM_KMS_FIRST_PROPERTY];
    struct drm_mode_property_enum enums[4];
    uint64_t values[4] = {p->values[0], p->values[1]};
    uint32_t enum_count = 0, value_count = p->flags & DRM_MODE_PROP_OBJECT ? 1 : 2;
    for (; p->flags & DRM_MODE_PROP_ENUM && enum_count < 4 && p->names[enum_count].name; enum_count++) {
        memset(&enums[enum_count], 0, sizeof enums[0]);
        snprintf(enums[enum_count].name, sizeof enums[0].name, "%s", p->names[enum_count].name);
        enums[enum_count].value = values[enum_count] = p->names[enum_count].value;
    }
    if (p->flags & DRM_MODE_PROP_ENUM)
        value_count = enum_count;
    else if (p->flags & DRM_MODE_PROP_BLOB)
        value_count = 0;
    snprintf(args->name, sizeof args->name, "%s", p->name);
    args->flags = p->flags;
    shim_kms_copy_array(args->values_ptr, &args->count_values, values, value_count, sizeof values[0]);
    shim_kms_copy_array(args->enum_blob_ptr, &args->count_enum_blobs, enums, enum_count, sizeof enums[0]);
    return 0;
}

/* -- blobs -------------------------------------------------------------------------------------------------------- */

static struct shim_kms_blob *find_blob(uint32_t id)
{
    util_list_for_each(struct shim_kms_blob, blob, &shim_kms.blobs, link)
        if (blob->id == id)
            return blob;
    return NULL;
}

int shim_kms_create_blob(struct shim_file *owner, const void *data, uint32_t size_B, uint32_t *id_out)
{
    if (!size_B || size_B > 1 << 20)
        return -EINVAL;
    if (!data)
        return -EFAULT;
    struct shim_kms_blob *blob = malloc(sizeof *blob + size_B);
    if (!blob)
        return -ENOMEM;
    blob->owner = owner;
    blob->id = *id_out = ++shim_kms.last_id;
    blob->size_B = size_B;
    memcpy(blob->data, data, size_B);
    util_list_add_tail(&shim_kms.blobs, &blob->link);
    return 0;
}

int shim_kms_get_blob(struct shim_file *file, void *arg)
{
    struct drm_mode_get_blob *args = arg;
    const struct shim_kms_blob *blob = find_blob(args->blob_id);
    if (!blob)
        return -ENOENT;
    if (args->length == blob->size_B && args->data)
        memcpy((void *)(uintptr_t)args->data, blob->data, blob->size_B);
    args->length = blob->size_B;
    return 0;
}

int shim_kms_destroy_blob(struct shim_file *file, uint32_t id)
{
    struct shim_kms_blob *blob = find_blob(id);
    if (!blob)
        return -ENOENT;
    if (blob->owner != file)
        return -EPERM;
    blob->owner = NULL;
    shim_kms_collect_blobs();
    return 0;
}

/* -- the atomic call ---------------------------------------------------------------------------------------------- */

/* [kernel drm_modes.c drm_mode_validate_basic] */
static bool mode_is_sane(const struct drm_mode_modeinfo *m)
{
    return m->clock && m->hdisplay && m->vdisplay && m->hsync_start >= m->hdisplay && m->hsync_end >= m->hsync_start &&
           m->htotal >= m->hsync_end && m->vsync_start >= m->vdisplay && m->vsync_end >= m->vsync_start &&
           m->vtotal >= m->vsync_end;
}

static int set_mode(struct shim_kms_state *s, uint64_t id)
{
    s->has_mode = id != 0;
    s->mode_blob = (uint32_t)id;
    memset(&s->mode, 0, sizeof s->mode);
    if (!id)
        return 0;
    const struct shim_kms_blob *blob = id <= UINT32_MAX ? find_blob((uint32_t)id) : NULL;
    if (!blob || blob->size_B != sizeof s->mode)
        return -EINVAL;
    memcpy(&s->mode, blob->data, sizeof s->mode);
    return mode_is_sane(&s->mode) ? 0 : -EINVAL;
}

/* [kernel drm_property.c drm_property_change_valid_get] */
static bool value_is_valid(uint32_t property, uint64_t value)
{
    const __typeof__(properties[0]) *p = &properties[property - SHIM_KMS_FIRST_PROPERTY];
    if (p->flags & DRM_MODE_PROP_IMMUTABLE)
        return false;
    if (is_signed(property))
        return (int64_t)value >= (int64_t)p->values[0] && (int64_t)value <= (int64_t)p->values[1];
    if (p->flags & DRM_MODE_PROP_RANGE)
        return value >= p->values[0] && value <= p->values[1];
    if (p->flags & DRM_MODE_PROP_OBJECT)
        return !value || (property == CRTC_ID ? value == SHIM_KMS_CRTC
                                              : value <= UINT32_MAX && shim_kms_find_fb((uint32_t)value));
    if (p->flags & DRM_MODE_PROP_ENUM)
        for (uint32_t i = 0; i < 4 && p->names[i].name; i++)
            if (p->names[i].value == value)
                return true;
    return p->flags & DRM_MODE_PROP_BLOB;
}

static int set_property(struct shim_kms_state *s, uint32_t object, uint32_t property, uint64_t value)
{
    if (!value_is_valid(property, value))
        return -EINVAL;
    if (property == MODE_ID)
        return set_mode(s, value);
    if (property == LINK_STATUS)
        return 0;
    uint32_t *field = field_of(s, object, property);
    if (!field)
        return -EINVAL; /* DPMS is set through ACTIVE or the legacy call */
    *field = (uint32_t)value;
    return 0;
}

int shim_kms_atomic(struct shim_file *file, void *arg)
{
    const struct drm_mode_atomic *args = arg;
    const uint32_t *ids = (const uint32_t *)(uintptr_t)args->objs_ptr;
    const uint32_t *counts = (const uint32_t *)(uintptr_t)args->count_props_ptr;
    const uint32_t *props = (const uint32_t *)(uintptr_t)args->props_ptr;
    const uint64_t *values = (const uint64_t *)(uintptr_t)args->prop_values_ptr;
    if (!file->is_atomic || args->flags & ~(uint32_t)DRM_MODE_ATOMIC_FLAGS || args->reserved ||
        args->flags & DRM_MODE_PAGE_FLIP_ASYNC)
        return -EINVAL;
    bool wants_event = args->flags & DRM_MODE_PAGE_FLIP_EVENT, has_crtc = false;
    if (wants_event && args->flags & DRM_MODE_ATOMIC_TEST_ONLY)
        return -EINVAL;
    struct shim_kms_state next = shim_kms.state;
    for (uint32_t i = 0; i < args->count_objs; i++) {
        const uint32_t *list = properties_of(ids[i], DRM_MODE_OBJECT_ANY);
        if (!list || !list[0])
            return -ENOENT;
        has_crtc = true; /* every object belongs to the one CRTC */
        for (uint32_t n = counts[i]; n; n--, props++, values++) {
            int err = has_property(list, *props) ? set_property(&next, ids[i], *props, *values) : -ENOENT;
            if (err)
                return err;
        }
    }
    if (wants_event && !has_crtc)
        return -EINVAL;
    return shim_kms_commit(&next, args->flags, (struct shim_kms_event){wants_event ? file : NULL, args->user_data});
}

/* -- legacy call -------------------------------------------------------------------------------------------------- */

/* Sets a property of a connector. DPMS turns the CRTC on and off [kernel drm_atomic_uapi.c
 * drm_atomic_connector_commit_dpms].
 */
int shim_kms_set_property(struct shim_file *file, void *arg)
{
    const struct drm_mode_connector_set_property *args = arg;
    struct shim_kms_state next = shim_kms.state;
    const uint32_t *list = properties_of(args->connector_id, DRM_MODE_OBJECT_CONNECTOR);
    if (!list || !has_property(list, args->prop_id))
        return -ENOENT;
    if (!value_is_valid(args->prop_id, args->value) || (args->prop_id != DPMS && args->prop_id != LINK_STATUS))
        return -EINVAL;
    if (args->prop_id == LINK_STATUS || !next.connector_crtc)
        return 0;
    next.is_active = args->value == DRM_MODE_DPMS_ON;
    return shim_kms_commit(&next, DRM_MODE_ATOMIC_ALLOW_MODESET, (struct shim_kms_event){0});
}
