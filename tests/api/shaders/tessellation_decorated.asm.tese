; SPDX-License-Identifier: MIT
; TessCoord is decorated with Patch, as compilers of HLSL do. Modes are those of the control shader, too.
OpCapability Tessellation
OpMemoryModel Logical GLSL450
OpEntryPoint TessellationEvaluation %main "main" %coord %position %color %bits
OpExecutionMode %main Quads
OpExecutionMode %main SpacingEqual
OpExecutionMode %main VertexOrderCcw
OpDecorate %coord Patch
OpDecorate %coord BuiltIn TessCoord
OpDecorate %position BuiltIn Position
OpDecorate %color Location 0
OpDecorate %bits Location 1
OpDecorate %bits Flat
%void = OpTypeVoid
%function = OpTypeFunction %void
%float = OpTypeFloat 32
%uint = OpTypeInt 32 0
%vec3 = OpTypeVector %float 3
%vec4 = OpTypeVector %float 4
%in_vec3 = OpTypePointer Input %vec3
%out_vec4 = OpTypePointer Output %vec4
%out_uint = OpTypePointer Output %uint
%coord = OpVariable %in_vec3 Input
%position = OpVariable %out_vec4 Output
%color = OpVariable %out_vec4 Output
%bits = OpVariable %out_uint Output
%half = OpConstant %float 0.5
%one = OpConstant %float 1
%seven = OpConstant %uint 7
%main = OpFunction %void None %function
%label = OpLabel
%at = OpLoad %vec3 %coord
%x = OpCompositeExtract %float %at 0
%y = OpCompositeExtract %float %at 1
%left = OpFSub %float %x %half
%top = OpFSub %float %y %half
%place = OpCompositeConstruct %vec4 %left %top %half %one
OpStore %position %place
%shade = OpCompositeConstruct %vec4 %x %y %half %one
OpStore %color %shade
OpStore %bits %seven
OpReturn
OpFunctionEnd
