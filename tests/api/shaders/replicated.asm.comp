; SPIR-V
; Version: 1.3
; Composites whose constituents have one value (SPV_EXT_replicated_composites): vectors, matrices, arrays and structures,
; constants and others. Row r of the results has 64 words, one for each invocation of one workgroup.
OpCapability Shader
OpCapability Int64
OpCapability ReplicatedCompositesEXT
OpExtension "SPV_EXT_replicated_composites"
OpExtension "SPV_KHR_storage_buffer_storage_class"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id
OpExecutionMode %main LocalSize 64 1 1
OpDecorate %id BuiltIn LocalInvocationIndex
OpDecorate %words ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 0
OpDecorate %chosen SpecId 3
%void = OpTypeVoid
%fn = OpTypeFunction %void
%uint = OpTypeInt 32 0
%ulong = OpTypeInt 64 0
%float = OpTypeFloat 32
%uvec2 = OpTypeVector %uint 2
%uvec4 = OpTypeVector %uint 4
%lvec2 = OpTypeVector %ulong 2
%vec3 = OpTypeVector %float 3
%mat2x3 = OpTypeMatrix %vec3 2
%words = OpTypeRuntimeArray %uint
%block = OpTypeStruct %words
%to_block = OpTypePointer StorageBuffer %block
%to_uint = OpTypePointer StorageBuffer %uint
%in_uint = OpTypePointer Input %uint
%out = OpVariable %to_block StorageBuffer
%id = OpVariable %in_uint Input
%n0 = OpConstant %uint 0
%n1 = OpConstant %uint 1
%n5 = OpConstant %uint 5
%n7 = OpConstant %uint 7
%shift = OpConstant %ulong 32
%long = OpConstant %ulong 38654705673
%row1 = OpConstant %uint 64
%row2 = OpConstant %uint 128
%row3 = OpConstant %uint 192
%row4 = OpConstant %uint 256
%row5 = OpConstant %uint 320
%row6 = OpConstant %uint 384
%chosen = OpSpecConstant %uint 11
%array = OpTypeArray %uvec2 %n5
%pair = OpTypeStruct %uvec2 %uvec2
%sevens = OpConstantCompositeReplicateEXT %uvec4 %n7
%rows_of_sevens = OpTypeArray %uvec4 %n5
%many_sevens = OpConstantCompositeReplicateEXT %rows_of_sevens %sevens
%longs = OpConstantCompositeReplicateEXT %lvec2 %long
%choices = OpSpecConstantCompositeReplicateEXT %uvec4 %chosen
%main = OpFunction %void None %fn
%entry = OpLabel
%i = OpLoad %uint %id
%next = OpIAdd %uint %i %n1

%vector = OpCompositeConstructReplicateEXT %uvec4 %i
%v2 = OpCompositeExtract %uint %vector 2
%p0 = OpAccessChain %to_uint %out %n0 %i
OpStore %p0 %v2

%f = OpConvertUToF %float %i
%g = OpConvertUToF %float %next
%column = OpCompositeConstruct %vec3 %f %g %f
%matrix = OpCompositeConstructReplicateEXT %mat2x3 %column
%m11 = OpCompositeExtract %float %matrix 1 1
%m11_i = OpConvertFToU %uint %m11
%at1 = OpIAdd %uint %i %row1
%p1 = OpAccessChain %to_uint %out %n0 %at1
OpStore %p1 %m11_i

%two = OpCompositeConstruct %uvec2 %i %next
%list = OpCompositeConstructReplicateEXT %array %two
%l41 = OpCompositeExtract %uint %list 4 1
%at2 = OpIAdd %uint %i %row2
%p2 = OpAccessChain %to_uint %out %n0 %at2
OpStore %p2 %l41

%both = OpCompositeConstructReplicateEXT %pair %two
%b11 = OpCompositeExtract %uint %both 1 1
%at3 = OpIAdd %uint %i %row3
%p3 = OpAccessChain %to_uint %out %n0 %at3
OpStore %p3 %b11

%s43 = OpCompositeExtract %uint %many_sevens 4 3
%sum = OpIAdd %uint %i %s43
%at4 = OpIAdd %uint %i %row4
%p4 = OpAccessChain %to_uint %out %n0 %at4
OpStore %p4 %sum

%c3 = OpCompositeExtract %uint %choices 3
%product = OpIMul %uint %i %c3
%at5 = OpIAdd %uint %i %row5
%p5 = OpAccessChain %to_uint %out %n0 %at5
OpStore %p5 %product

%long1 = OpCompositeExtract %ulong %longs 1
%high = OpShiftRightLogical %ulong %long1 %shift
%high_i = OpUConvert %uint %high
%low_i = OpUConvert %uint %long1
%mixed = OpIMul %uint %high_i %low_i
%at6 = OpIAdd %uint %i %row6
%p6 = OpAccessChain %to_uint %out %n0 %at6
OpStore %p6 %mixed
OpReturn
OpFunctionEnd
