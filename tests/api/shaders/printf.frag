#version 450
#extension GL_EXT_debug_printf : require
layout(location = 0) out vec4 color;

void main()
{
    color = vec4(0.0, 1.0, 0.0, 1.0);
    if (gl_FragCoord.x < gl_FragCoord.y)
        discard;
    debugPrintfEXT("pixel %v2d", ivec2(gl_FragCoord.xy));
}
