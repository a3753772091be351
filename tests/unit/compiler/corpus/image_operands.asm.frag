; SPIR-V
; Version: 1.6
; Image operands that do not change a result, with every instruction that samples.
OpCapability Shader
OpCapability VulkanMemoryModel
OpMemoryModel Logical Vulkan
OpEntryPoint Fragment %main "main" %uv %color %texture %depth
OpExecutionMode %main OriginUpperLeft
OpDecorate %uv Location 3
OpDecorate %color Location 0
OpDecorate %texture DescriptorSet 1
OpDecorate %texture Binding 1
OpDecorate %depth DescriptorSet 1
OpDecorate %depth Binding 6
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%int = OpTypeInt 32 1
%vec2 = OpTypeVector %float 2
%vec3 = OpTypeVector %float 3
%vec4 = OpTypeVector %float 4
%ivec2 = OpTypeVector %int 2
%half = OpConstant %float 0.5
%tenth = OpConstant %float 0.1
%n_zero = OpConstant %float 0
%quarter = OpConstant %float 0.25
%one = OpConstant %float 1
%small = OpConstantComposite %vec2 %tenth %tenth
%n0 = OpConstant %int 0
%n1 = OpConstant %int 1
%offset = OpConstantComposite %ivec2 %n1 %n1
%image = OpTypeImage %float 2D 0 0 0 1 Unknown
%depth_image = OpTypeImage %float 2D 1 0 0 1 Unknown
%sampled = OpTypeSampledImage %image
%sampled_depth = OpTypeSampledImage %depth_image
%to_sampled = OpTypePointer UniformConstant %sampled
%to_depth = OpTypePointer UniformConstant %sampled_depth
%in_vec2 = OpTypePointer Input %vec2
%out_vec4 = OpTypePointer Output %vec4
%texture = OpVariable %to_sampled UniformConstant
%depth = OpVariable %to_depth UniformConstant
%uv = OpVariable %in_vec2 Input
%color = OpVariable %out_vec4 Output
%main = OpFunction %void None %fn
%entry = OpLabel
%at = OpLoad %vec2 %uv
%texel = OpConvertFToS %ivec2 %at
%t = OpLoad %sampled %texture
%d = OpLoad %sampled_depth %depth
%i = OpImage %image %t
%a = OpImageSampleImplicitLod %vec4 %t %at Nontemporal
%b = OpImageSampleImplicitLod %vec4 %t %at Bias|ConstOffset|NonPrivateTexel|Nontemporal %half %offset
%c = OpImageSampleExplicitLod %vec4 %t %at Lod|Nontemporal %quarter
%e = OpImageSampleExplicitLod %vec4 %t %at Grad|VolatileTexel|NonPrivateTexel|Nontemporal %small %small
%projected = OpCompositeConstruct %vec3 %at %one
%f = OpImageSampleProjImplicitLod %vec4 %t %projected Nontemporal
%g = OpImageFetch %vec4 %i %texel Lod|NonPrivateTexel|Nontemporal %n0
%h = OpImageGather %vec4 %t %at %n1 ConstOffset|Nontemporal %offset
%j = OpImageDrefGather %vec4 %d %at %half Nontemporal
%k = OpImageSampleDrefImplicitLod %float %d %at %half Nontemporal
%l = OpImageSampleDrefExplicitLod %float %d %at %half Lod|Nontemporal %n_zero
%ab = OpFAdd %vec4 %a %b
%ce = OpFAdd %vec4 %c %e
%fg = OpFAdd %vec4 %f %g
%hj = OpFAdd %vec4 %h %j
%kl = OpFAdd %float %k %l
%abce = OpFAdd %vec4 %ab %ce
%fghj = OpFAdd %vec4 %fg %hj
%sum = OpFAdd %vec4 %abce %fghj
%kls = OpCompositeConstruct %vec4 %kl %kl %kl %kl
%all = OpFAdd %vec4 %sum %kls
%result = OpVectorTimesScalar %vec4 %all %tenth
OpStore %color %result
OpReturn
OpFunctionEnd
