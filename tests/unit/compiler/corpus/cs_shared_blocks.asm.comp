; SPIR-V
; Version: 1.4
; Blocks in shared memory, which all begin at the same byte: what is written by one layout is read by another.
;   shared Words { uint words[32]; } all;
;   shared Mixed {
;       layout(offset = 8) float first;
;       layout(offset = 16, row_major) mat2x3 m;
;       layout(offset = 64) uint16_t halves[6];
;       layout(offset = 80) uint8_t bytes[16];
;       layout(offset = 112) vec3 list[1];
;   } mixed;
; Every workgroup clears all words, the first invocation writes numbers to mixed, all invocations a byte each, six of
; them halves; words[0] is incremented by all. Then all words, bytes and halves are copied to the results.
OpCapability Shader
OpCapability WorkgroupMemoryExplicitLayoutKHR
OpCapability WorkgroupMemoryExplicitLayout8BitAccessKHR
OpCapability WorkgroupMemoryExplicitLayout16BitAccessKHR
OpExtension "SPV_KHR_workgroup_memory_explicit_layout"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %LocalInvocationIndex %all %mixed %in %WorkGroupID %out
OpExecutionMode %main LocalSize 16 1 1
OpDecorate %LocalInvocationIndex BuiltIn LocalInvocationIndex
OpDecorate %arr_uint_uint_32 ArrayStride 4
OpMemberDecorate %Words 0 Offset 0
OpDecorate %Words Block
OpDecorate %arr_ushort_uint_6 ArrayStride 2
OpDecorate %arr_uchar_uint_16 ArrayStride 1
OpDecorate %arr_v3float_uint_1 ArrayStride 16
OpMemberDecorate %Mixed 0 Offset 8
OpMemberDecorate %Mixed 1 RowMajor
OpMemberDecorate %Mixed 1 Offset 16
OpMemberDecorate %Mixed 1 MatrixStride 8
OpMemberDecorate %Mixed 2 Offset 64
OpMemberDecorate %Mixed 3 Offset 80
OpMemberDecorate %Mixed 4 Offset 112
OpDecorate %Mixed Block
OpDecorate %runtimearr_float ArrayStride 4
OpMemberDecorate %In 0 NonWritable
OpMemberDecorate %In 0 Offset 0
OpDecorate %In Block
OpDecorate %in DescriptorSet 0
OpDecorate %in Binding 0
OpDecorate %WorkGroupID BuiltIn WorkgroupId
OpDecorate %runtimearr_uint ArrayStride 4
OpMemberDecorate %Out 0 Offset 0
OpDecorate %Out Block
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 1
OpDecorate %WorkGroupSize BuiltIn WorkgroupSize
OpDecorate %all Aliased
OpDecorate %mixed Aliased
%void = OpTypeVoid
%3 = OpTypeFunction %void
%uint = OpTypeInt 32 0
%ptr_Function_uint = OpTypePointer Function %uint
%ptr_Input_uint = OpTypePointer Input %uint
%LocalInvocationIndex = OpVariable %ptr_Input_uint Input
%uint_32 = OpConstant %uint 32
%arr_uint_uint_32 = OpTypeArray %uint %uint_32
%Words = OpTypeStruct %arr_uint_uint_32
%ptr_Workgroup_Words = OpTypePointer Workgroup %Words
%all = OpVariable %ptr_Workgroup_Words Workgroup
%int = OpTypeInt 32 1
%int_0 = OpConstant %int 0
%uint_2694881440 = OpConstant %uint 2694881440
%ptr_Workgroup_uint = OpTypePointer Workgroup %uint
%uint_16 = OpConstant %uint 16
%uint_2 = OpConstant %uint 2
%uint_264 = OpConstant %uint 264
%uint_0 = OpConstant %uint 0
%bool = OpTypeBool
%float = OpTypeFloat 32
%v3float = OpTypeVector %float 3
%mat2v3float = OpTypeMatrix %v3float 2
%ushort = OpTypeInt 16 0
%uint_6 = OpConstant %uint 6
%arr_ushort_uint_6 = OpTypeArray %ushort %uint_6
%uchar = OpTypeInt 8 0
%arr_uchar_uint_16 = OpTypeArray %uchar %uint_16
%uint_1 = OpConstant %uint 1
%arr_v3float_uint_1 = OpTypeArray %v3float %uint_1
%Mixed = OpTypeStruct %float %mat2v3float %arr_ushort_uint_6 %arr_uchar_uint_16 %arr_v3float_uint_1
%ptr_Workgroup_Mixed = OpTypePointer Workgroup %Mixed
%mixed = OpVariable %ptr_Workgroup_Mixed Workgroup
%runtimearr_float = OpTypeRuntimeArray %float
%In = OpTypeStruct %runtimearr_float
%ptr_StorageBuffer_In = OpTypePointer StorageBuffer %In
%in = OpVariable %ptr_StorageBuffer_In StorageBuffer
%ptr_StorageBuffer_float = OpTypePointer StorageBuffer %float
%ptr_Workgroup_float = OpTypePointer Workgroup %float
%int_1 = OpConstant %int 1
%int_2 = OpConstant %int 2
%int_3 = OpConstant %int 3
%int_4 = OpConstant %int 4
%int_5 = OpConstant %int 5
%int_6 = OpConstant %int 6
%ptr_Workgroup_mat2v3float = OpTypePointer Workgroup %mat2v3float
%int_7 = OpConstant %int 7
%uint_15 = OpConstant %uint 15
%uint_17 = OpConstant %uint 17
%ptr_Workgroup_uchar = OpTypePointer Workgroup %uchar
%uint_4369 = OpConstant %uint 4369
%ptr_Workgroup_ushort = OpTypePointer Workgroup %ushort
%v3uint = OpTypeVector %uint 3
%ptr_Input_v3uint = OpTypePointer Input %v3uint
%WorkGroupID = OpVariable %ptr_Input_v3uint Input
%uint_64 = OpConstant %uint 64
%runtimearr_uint = OpTypeRuntimeArray %uint
%Out = OpTypeStruct %runtimearr_uint
%ptr_StorageBuffer_Out = OpTypePointer StorageBuffer %Out
%out = OpVariable %ptr_StorageBuffer_Out StorageBuffer
%ptr_StorageBuffer_uint = OpTypePointer StorageBuffer %uint
%uint_48 = OpConstant %uint 48
%uint_3 = OpConstant %uint 3
%WorkGroupSize = OpConstantComposite %v3uint %uint_16 %uint_1 %uint_1
%main = OpFunction %void None %3
%5 = OpLabel
%i = OpVariable %ptr_Function_uint Function
%at = OpVariable %ptr_Function_uint Function
%154 = OpVariable %ptr_Function_uint Function
%11 = OpLoad %uint %LocalInvocationIndex
OpStore %i %11
%19 = OpLoad %uint %i
%22 = OpAccessChain %ptr_Workgroup_uint %all %int_0 %19
OpStore %22 %uint_2694881440
%23 = OpLoad %uint %i
%25 = OpIAdd %uint %23 %uint_16
%26 = OpAccessChain %ptr_Workgroup_uint %all %int_0 %25
OpStore %26 %uint_2694881440
OpControlBarrier %uint_2 %uint_2 %uint_264
%29 = OpLoad %uint %i
%32 = OpIEqual %bool %29 %uint_0
OpSelectionMerge %34 None
OpBranchConditional %32 %33 %34
%33 = OpLabel
%53 = OpAccessChain %ptr_StorageBuffer_float %in %int_0 %int_0
%54 = OpLoad %float %53
%56 = OpAccessChain %ptr_Workgroup_float %mixed %int_0
OpStore %56 %54
%58 = OpAccessChain %ptr_StorageBuffer_float %in %int_0 %int_1
%59 = OpLoad %float %58
%61 = OpAccessChain %ptr_StorageBuffer_float %in %int_0 %int_2
%62 = OpLoad %float %61
%64 = OpAccessChain %ptr_StorageBuffer_float %in %int_0 %int_3
%65 = OpLoad %float %64
%67 = OpAccessChain %ptr_StorageBuffer_float %in %int_0 %int_4
%68 = OpLoad %float %67
%70 = OpAccessChain %ptr_StorageBuffer_float %in %int_0 %int_5
%71 = OpLoad %float %70
%73 = OpAccessChain %ptr_StorageBuffer_float %in %int_0 %int_6
%74 = OpLoad %float %73
%77 = OpCompositeConstruct %v3float %59 %62 %65
%78 = OpCompositeConstruct %v3float %68 %71 %74
%79 = OpCompositeConstruct %mat2v3float %77 %78
%81 = OpAccessChain %ptr_Workgroup_mat2v3float %mixed %int_1
OpStore %81 %79
%83 = OpAccessChain %ptr_StorageBuffer_float %in %int_0 %int_7
%84 = OpLoad %float %83
%85 = OpAccessChain %ptr_Workgroup_float %mixed %int_4 %int_0 %uint_1
OpStore %85 %84
OpBranch %34
%34 = OpLabel
%87 = OpLoad %uint %i
%88 = OpISub %uint %uint_15 %87
%89 = OpLoad %uint %i
%91 = OpIMul %uint %89 %uint_17
%92 = OpUConvert %uchar %91
%94 = OpAccessChain %ptr_Workgroup_uchar %mixed %int_3 %88
OpStore %94 %92
%95 = OpLoad %uint %i
%96 = OpULessThan %bool %95 %uint_6
OpSelectionMerge %98 None
OpBranchConditional %96 %97 %98
%97 = OpLabel
%99 = OpLoad %uint %i
%100 = OpLoad %uint %i
%102 = OpIMul %uint %100 %uint_4369
%103 = OpUConvert %ushort %102
%105 = OpAccessChain %ptr_Workgroup_ushort %mixed %int_2 %99
OpStore %105 %103
OpBranch %98
%98 = OpLabel
OpControlBarrier %uint_2 %uint_2 %uint_264
%106 = OpAccessChain %ptr_Workgroup_uint %all %int_0 %int_0
%107 = OpLoad %uint %i
%108 = OpAtomicIAdd %uint %106 %uint_1 %uint_0 %107
OpControlBarrier %uint_2 %uint_2 %uint_264
%113 = OpAccessChain %ptr_Input_uint %WorkGroupID %uint_0
%114 = OpLoad %uint %113
%116 = OpIMul %uint %114 %uint_64
OpStore %at %116
%121 = OpLoad %uint %at
%122 = OpLoad %uint %i
%123 = OpIAdd %uint %121 %122
%124 = OpLoad %uint %i
%125 = OpAccessChain %ptr_Workgroup_uint %all %int_0 %124
%126 = OpLoad %uint %125
%128 = OpAccessChain %ptr_StorageBuffer_uint %out %int_0 %123
OpStore %128 %126
%129 = OpLoad %uint %at
%130 = OpLoad %uint %i
%131 = OpIAdd %uint %129 %130
%132 = OpIAdd %uint %131 %uint_16
%133 = OpLoad %uint %i
%134 = OpIAdd %uint %133 %uint_16
%135 = OpAccessChain %ptr_Workgroup_uint %all %int_0 %134
%136 = OpLoad %uint %135
%137 = OpAccessChain %ptr_StorageBuffer_uint %out %int_0 %132
OpStore %137 %136
%138 = OpLoad %uint %at
%139 = OpIAdd %uint %138 %uint_32
%140 = OpLoad %uint %i
%141 = OpIAdd %uint %139 %140
%142 = OpLoad %uint %i
%143 = OpAccessChain %ptr_Workgroup_uchar %mixed %int_3 %142
%144 = OpLoad %uchar %143
%145 = OpUConvert %uint %144
%146 = OpAccessChain %ptr_StorageBuffer_uint %out %int_0 %141
OpStore %146 %145
%147 = OpLoad %uint %at
%149 = OpIAdd %uint %147 %uint_48
%150 = OpLoad %uint %i
%151 = OpIAdd %uint %149 %150
%152 = OpLoad %uint %i
%153 = OpULessThan %bool %152 %uint_6
OpSelectionMerge %156 None
OpBranchConditional %153 %155 %161
%155 = OpLabel
%157 = OpLoad %uint %i
%158 = OpAccessChain %ptr_Workgroup_ushort %mixed %int_2 %157
%159 = OpLoad %ushort %158
%160 = OpUConvert %uint %159
OpStore %154 %160
OpBranch %156
%161 = OpLabel
%162 = OpLoad %uint %i
%163 = OpBitwiseAnd %uint %162 %uint_1
%164 = OpLoad %uint %i
%166 = OpUMod %uint %164 %uint_3
%167 = OpAccessChain %ptr_Workgroup_float %mixed %int_1 %163 %166
%168 = OpLoad %float %167
%169 = OpBitcast %uint %168
OpStore %154 %169
OpBranch %156
%156 = OpLabel
%170 = OpLoad %uint %154
%171 = OpAccessChain %ptr_StorageBuffer_uint %out %int_0 %151
OpStore %171 %170
OpReturn
OpFunctionEnd
