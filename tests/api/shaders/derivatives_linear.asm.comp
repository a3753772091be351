; SPIR-V
; Version: 1.3
; Derivatives in a compute shader, of quads of four invocations in a row.
; For each invocation, by its index: dFdx and dFdy of the square of the index, and the level that a lookup with an
; automatic level of detail reads at a coordinate that is the index times a factor.
OpCapability Shader
OpCapability DerivativeControl
OpCapability ComputeDerivativeGroupLinearKHR
OpExtension "SPV_KHR_compute_shader_derivatives"
OpExtension "SPV_KHR_storage_buffer_storage_class"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %index %local
OpExecutionMode %main LocalSize 8 5 1
OpExecutionMode %main DerivativeGroupLinearKHR
OpDecorate %index BuiltIn LocalInvocationIndex
OpDecorate %local BuiltIn LocalInvocationId
OpDecorate %words ArrayStride 16
OpDecorate %factors ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %in_block Block
OpMemberDecorate %in_block 0 Offset 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 0
OpDecorate %in DescriptorSet 0
OpDecorate %in Binding 1
OpDecorate %texture DescriptorSet 0
OpDecorate %texture Binding 2
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%uvec3 = OpTypeVector %uint 3
%float = OpTypeFloat 32
%vec2 = OpTypeVector %float 2
%vec4 = OpTypeVector %float 4
%image = OpTypeImage %float 2D 0 0 0 1 Unknown
%sampled = OpTypeSampledImage %image
%words = OpTypeRuntimeArray %vec4
%factors = OpTypeRuntimeArray %float
%block = OpTypeStruct %words
%in_block = OpTypeStruct %factors
%to_block = OpTypePointer StorageBuffer %block
%to_in_block = OpTypePointer StorageBuffer %in_block
%to_vec4 = OpTypePointer StorageBuffer %vec4
%to_float = OpTypePointer StorageBuffer %float
%to_sampled = OpTypePointer UniformConstant %sampled
%in_uint = OpTypePointer Input %uint
%in_uvec3 = OpTypePointer Input %uvec3
%out = OpVariable %to_block StorageBuffer
%in = OpVariable %to_in_block StorageBuffer
%texture = OpVariable %to_sampled UniformConstant
%index = OpVariable %in_uint Input
%local = OpVariable %in_uvec3 Input
%n0 = OpConstant %uint 0
%half = OpConstant %float 0.5
%eight = OpConstant %uint 8
%main = OpFunction %void None %fn
%entry = OpLabel
%i = OpLoad %uint %index
%x = OpConvertUToF %float %i
%square = OpFMul %float %x %x
%dx = OpDPdx %float %square
%dy = OpDPdyFine %float %square
%p_factor = OpAccessChain %to_float %in %n0 %n0
%factor = OpLoad %float %p_factor
%u = OpFMul %float %x %factor
%uv = OpCompositeConstruct %vec2 %u %half
%t = OpLoad %sampled %texture
%texel = OpImageSampleImplicitLod %vec4 %t %uv
%level = OpCompositeExtract %float %texel 0
%xyz = OpLoad %uvec3 %local
%id_x = OpCompositeExtract %uint %xyz 0
%id_y = OpCompositeExtract %uint %xyz 1
%row = OpIMul %uint %id_y %eight
%place = OpIAdd %uint %row %id_x
%place_f = OpConvertUToF %float %place
%result = OpCompositeConstruct %vec4 %dx %dy %level %place_f
%p = OpAccessChain %to_vec4 %out %n0 %i
OpStore %p %result
OpReturn
OpFunctionEnd
