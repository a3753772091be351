; SPIR-V
; Version: 1.3
; Rotations of numbers of every width, of vectors and of truth values: row r of the results has 64 words, one for each
; invocation of one workgroup. The numbers depend on the invocation's index; test_shader_extensions.c says which lane
; each of them is taken from.
OpCapability Shader
OpCapability Float64
OpCapability Float16
OpCapability Int64
OpCapability Int16
OpCapability Int8
OpCapability GroupNonUniform
OpCapability GroupNonUniformRotateKHR
OpExtension "SPV_KHR_subgroup_rotate"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id
OpExecutionMode %main LocalSize 64 1 1
OpDecorate %id BuiltIn LocalInvocationIndex
OpDecorate %words ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 0
OpDecorate %in DescriptorSet 0
OpDecorate %in Binding 1
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%uchar = OpTypeInt 8 0
%ushort = OpTypeInt 16 0
%uint = OpTypeInt 32 0
%ulong = OpTypeInt 64 0
%half = OpTypeFloat 16
%float = OpTypeFloat 32
%double = OpTypeFloat 64
%uvec2 = OpTypeVector %uint 2
%vec3 = OpTypeVector %float 3
%words = OpTypeRuntimeArray %uint
%block = OpTypeStruct %words
%to_block = OpTypePointer StorageBuffer %block
%to_uint = OpTypePointer StorageBuffer %uint
%in_uint = OpTypePointer Input %uint
%out = OpVariable %to_block StorageBuffer
%in = OpVariable %to_block StorageBuffer
%id = OpVariable %in_uint Input
%n0 = OpConstant %uint 0
%n1 = OpConstant %uint 1
%n2 = OpConstant %uint 2
%n3 = OpConstant %uint 3
%n4 = OpConstant %uint 4
%n5 = OpConstant %uint 5
%n7 = OpConstant %uint 7
%n8 = OpConstant %uint 8
%n15 = OpConstant %uint 15
%n16 = OpConstant %uint 16
%n21 = OpConstant %uint 21
%n37 = OpConstant %uint 37
%n64 = OpConstant %uint 64
%n1103515245 = OpConstant %uint 1103515245
%row0 = OpConstant %uint 0
%row1 = OpConstant %uint 64
%row2 = OpConstant %uint 128
%row3 = OpConstant %uint 192
%row4 = OpConstant %uint 256
%row5 = OpConstant %uint 320
%row6 = OpConstant %uint 384
%row7 = OpConstant %uint 448
%row8 = OpConstant %uint 512
%row9 = OpConstant %uint 576
%row10 = OpConstant %uint 640
%row11 = OpConstant %uint 704
%row12 = OpConstant %uint 768
%row13 = OpConstant %uint 832
%row14 = OpConstant %uint 896
%row15 = OpConstant %uint 960
%one = OpConstant %float 1.0
%main = OpFunction %void None %fn
%entry = OpLabel
%i = OpLoad %uint %id
%v = OpIMul %uint %i %n1103515245
%small = OpIMul %uint %i %n37
%p_delta = OpAccessChain %to_uint %in %n0 %n0
%delta = OpLoad %uint %p_delta
%a = OpGroupNonUniformRotateKHR %uint %n3 %v %n3
%at0 = OpIAdd %uint %i %row0
%p0 = OpAccessChain %to_uint %out %n0 %at0
OpStore %p0 %a
%b = OpGroupNonUniformRotateKHR %uint %n3 %v %n1 %n4
%at1 = OpIAdd %uint %i %row1
%p1 = OpAccessChain %to_uint %out %n0 %at1
OpStore %p1 %b
%c = OpGroupNonUniformRotateKHR %uint %n3 %v %delta
%at2 = OpIAdd %uint %i %row2
%p2 = OpAccessChain %to_uint %out %n0 %at2
OpStore %p2 %c
%d = OpGroupNonUniformRotateKHR %uint %n3 %v %delta %n8
%at3 = OpIAdd %uint %i %row3
%p3 = OpAccessChain %to_uint %out %n0 %at3
OpStore %p3 %d
%e = OpGroupNonUniformRotateKHR %uint %n3 %v %n21
%at4 = OpIAdd %uint %i %row4
%p4 = OpAccessChain %to_uint %out %n0 %at4
OpStore %p4 %e
%f = OpGroupNonUniformRotateKHR %uint %n3 %v %n15 %n16
%at5 = OpIAdd %uint %i %row5
%p5 = OpAccessChain %to_uint %out %n0 %at5
OpStore %p5 %f
%g = OpGroupNonUniformRotateKHR %uint %n3 %v %n7 %n1
%at6 = OpIAdd %uint %i %row6
%p6 = OpAccessChain %to_uint %out %n0 %at6
OpStore %p6 %g
%u8 = OpUConvert %uchar %small
%r8 = OpGroupNonUniformRotateKHR %uchar %n3 %u8 %n3
%w8 = OpUConvert %uint %r8
%at7 = OpIAdd %uint %i %row7
%p7 = OpAccessChain %to_uint %out %n0 %at7
OpStore %p7 %w8
%u16 = OpUConvert %ushort %v
%r16 = OpGroupNonUniformRotateKHR %ushort %n3 %u16 %n5 %n8
%w16 = OpUConvert %uint %r16
%at8 = OpIAdd %uint %i %row8
%p8 = OpAccessChain %to_uint %out %n0 %at8
OpStore %p8 %w16
%f16 = OpConvertUToF %half %i
%rh = OpGroupNonUniformRotateKHR %half %n3 %f16 %n2
%wh = OpConvertFToU %uint %rh
%at9 = OpIAdd %uint %i %row9
%p9 = OpAccessChain %to_uint %out %n0 %at9
OpStore %p9 %wh
%wide = OpUConvert %ulong %v
%squared = OpIMul %ulong %wide %wide
%r64 = OpGroupNonUniformRotateKHR %ulong %n3 %squared %n3
%both = OpBitcast %uvec2 %r64
%lo = OpCompositeExtract %uint %both 0
%hi = OpCompositeExtract %uint %both 1
%at10 = OpIAdd %uint %i %row10
%p10 = OpAccessChain %to_uint %out %n0 %at10
OpStore %p10 %lo
%at11 = OpIAdd %uint %i %row11
%p11 = OpAccessChain %to_uint %out %n0 %at11
OpStore %p11 %hi
%f64 = OpConvertUToF %double %v
%rd = OpGroupNonUniformRotateKHR %double %n3 %f64 %n1 %n2
%wd = OpConvertFToU %uint %rd
%at12 = OpIAdd %uint %i %row12
%p12 = OpAccessChain %to_uint %out %n0 %at12
OpStore %p12 %wd
%bit = OpBitwiseAnd %uint %i %n4
%is_set = OpINotEqual %bool %bit %n0
%rb = OpGroupNonUniformRotateKHR %bool %n3 %is_set %n2 %n8
%wb = OpSelect %uint %rb %n1 %n0
%at13 = OpIAdd %uint %i %row13
%p13 = OpAccessChain %to_uint %out %n0 %at13
OpStore %p13 %wb
%x = OpConvertUToF %float %i
%z = OpFNegate %float %x
%xyz = OpCompositeConstruct %vec3 %x %one %z
%rv = OpGroupNonUniformRotateKHR %vec3 %n3 %xyz %n7
%rx = OpCompositeExtract %float %rv 0
%ry = OpCompositeExtract %float %rv 1
%rz = OpCompositeExtract %float %rv 2
%sum = OpFSub %float %rx %rz
%sum1 = OpFAdd %float %sum %ry
%wv = OpConvertFToU %uint %sum1
%at14 = OpIAdd %uint %i %row14
%p14 = OpAccessChain %to_uint %out %n0 %at14
OpStore %p14 %wv
%part = OpBitwiseAnd %uint %i %n8
%is_low = OpIEqual %bool %part %n0
OpSelectionMerge %after None
OpBranchConditional %is_low %low %after
%low = OpLabel
%h = OpGroupNonUniformRotateKHR %uint %n3 %v %n5 %n8
%at15 = OpIAdd %uint %i %row15
%p15 = OpAccessChain %to_uint %out %n0 %at15
OpStore %p15 %h
OpBranch %after
%after = OpLabel
OpReturn
OpFunctionEnd
