#version 450
// A small figure at each instance's place. NUMBERS: its number and the vertex's are seen; else nothing but attributes.
layout(location = 0) in vec2 corner;
layout(location = 1) in vec4 place; // and size
layout(location = 0) out vec4 v_color;
layout(location = 1) flat out uint v_number;
void main()
{
    gl_Position = vec4(corner * place.zw + place.xy, 0.5, 1.0);
    gl_PointSize = 1.0;
    v_color = vec4(place.x * 0.5 + 0.5, place.y * 0.5 + 0.5, corner.x * 0.5 + 0.5, 1.0);
#ifdef NUMBERS
    v_color.b = float(gl_InstanceIndex % 16) / 15.0;
    v_number = uint(gl_VertexIndex);
#else
    v_number = uint(place.x * 40.0 + 40.0);
#endif
}
