#version 450
layout(location = 0) in vec4 v_color;
layout(location = 1) flat in uint v_number;
layout(location = 0) out vec4 o_color;
layout(constant_id = 0) const bool FLAT = false;
void main()
{
    o_color = FLAT ? vec4(v_color.rgb, float(v_number & 15u) / 15.0) : v_color;
}
