; SPIR-V
; Version: 1.3
; An array of textures that is loaded as a whole and handed to a function, which takes elements out of it.
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %uv %color
OpExecutionMode %main OriginUpperLeft
OpDecorate %uv Location 3
OpDecorate %color Location 0
OpDecorate %textures DescriptorSet 1
OpDecorate %textures Binding 15
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%uint = OpTypeInt 32 0
%vec2 = OpTypeVector %float 2
%vec4 = OpTypeVector %float 4
%half = OpConstant %float 0.5
%n4 = OpConstant %uint 4
%image = OpTypeImage %float 2D 0 0 0 1 Unknown
%sampled = OpTypeSampledImage %image
%array = OpTypeArray %sampled %n4
%takes_array = OpTypeFunction %vec4 %array %vec2
%to_array = OpTypePointer UniformConstant %array
%in_vec2 = OpTypePointer Input %vec2
%out_vec4 = OpTypePointer Output %vec4
%textures = OpVariable %to_array UniformConstant
%uv = OpVariable %in_vec2 Input
%color = OpVariable %out_vec4 Output
%main = OpFunction %void None %fn
%entry = OpLabel
%at = OpLoad %vec2 %uv
%whole = OpLoad %array %textures
%copy = OpCopyObject %array %whole
%sum = OpFunctionCall %vec4 %mix %copy %at
OpStore %color %sum
OpReturn
OpFunctionEnd
%mix = OpFunction %vec4 None %takes_array
%of = OpFunctionParameter %array
%place = OpFunctionParameter %vec2
%mix_entry = OpLabel
%first = OpCompositeExtract %sampled %of 0
%last = OpCompositeExtract %sampled %of 3
%turned = OpVectorShuffle %vec2 %place %place 1 0
%a = OpImageSampleImplicitLod %vec4 %first %place
%b = OpImageSampleImplicitLod %vec4 %last %turned
%both = OpFAdd %vec4 %a %b
%result = OpVectorTimesScalar %vec4 %both %half
OpReturnValue %result
OpFunctionEnd
