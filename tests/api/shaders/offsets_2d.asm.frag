; SPIR-V
; Version: 1.3
; Lookups with Offset operands that are push constants and, alike, with ConstOffset (VK_KHR_maintenance8).
; green: each lookup gives the same as with the constant offset
; blue: each lookup gives something else than without an offset
OpCapability Shader
OpCapability ImageGatherExtended
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %uv %color
OpExecutionMode %main OriginUpperLeft
OpDecorate %uv Location 0
OpDecorate %color Location 0
OpDecorate %t2D DescriptorSet 0
OpDecorate %t2D Binding 0
OpDecorate %x SpecId 0
OpDecorate %y SpecId 1
OpDecorate %z SpecId 2
OpDecorate %push Block
OpMemberDecorate %push 0 Offset 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%float = OpTypeFloat 32
%int = OpTypeInt 32 1
%vec2 = OpTypeVector %float 2
%vec3 = OpTypeVector %float 3
%vec4 = OpTypeVector %float 4
%bvec4 = OpTypeVector %bool 4
%ivec2 = OpTypeVector %int 2
%ivec3 = OpTypeVector %int 3
%ivec4 = OpTypeVector %int 4
%i2D = OpTypeImage %float 2D 0 0 0 1 Unknown
%s2D = OpTypeSampledImage %i2D
%to_2D = OpTypePointer UniformConstant %s2D
%t2D = OpVariable %to_2D UniformConstant
%in_vec2 = OpTypePointer Input %vec2
%out_vec4 = OpTypePointer Output %vec4
%uv = OpVariable %in_vec2 Input
%color = OpVariable %out_vec4 Output
%push = OpTypeStruct %ivec4
%to_push = OpTypePointer PushConstant %push
%to_ivec4 = OpTypePointer PushConstant %ivec4
%pushed = OpVariable %to_push PushConstant
%x = OpSpecConstant %int 0
%y = OpSpecConstant %int 0
%z = OpSpecConstant %int 0
%c2D = OpSpecConstantComposite %ivec2 %x %y
%c3D = OpSpecConstantComposite %ivec3 %x %y %z
%n0 = OpConstant %int 0
%n1 = OpConstant %int 1
%n8 = OpConstant %int 8
%zero = OpConstant %float 0.0
%one = OpConstant %float 1.0
%half = OpConstant %float 0.5
%lod = OpConstant %float 1.25
%bias = OpConstant %float 0.75
%near = OpConstant %float 0.02
%vnear = OpConstantComposite %vec2 %near %zero
%vnear_y = OpConstantComposite %vec2 %zero %near
%two = OpConstant %float 2.0
%eight = OpConstant %float 8.0
%main = OpFunction %void None %fn
%entry = OpLabel
%p = OpLoad %vec2 %uv
%at = OpAccessChain %to_ivec4 %pushed %n0
%d4 = OpLoad %ivec4 %at
%d1D = OpCompositeExtract %int %d4 0
%d2D = OpVectorShuffle %ivec2 %d4 %d4 0 1
%d3D = OpVectorShuffle %ivec3 %d4 %d4 0 1 2
%px = OpCompositeExtract %float %p 0
%py = OpCompositeExtract %float %p 1
%p3 = OpCompositeConstruct %vec3 %px %py %half
%parray = OpCompositeConstruct %vec3 %px %py %one
%x2 = OpFMul %float %px %two
%y2 = OpFMul %float %py %two
%pproj = OpCompositeConstruct %vec3 %x2 %y2 %two
%x8 = OpFMul %float %px %eight
%y8 = OpFMul %float %py %eight
%ix = OpConvertFToS %int %x8
%iy = OpConvertFToS %int %y8
%jx = OpIAdd %int %ix %n8
%jy = OpIAdd %int %iy %n8
%texel = OpCompositeConstruct %ivec2 %jx %jy
%v2D = OpLoad %s2D %t2D
%image = OpImage %i2D %v2D
%r0d = OpImageSampleImplicitLod %vec4 %v2D %p Offset %d2D
%r0c = OpImageSampleImplicitLod %vec4 %v2D %p ConstOffset %c2D
%r0n = OpImageSampleImplicitLod %vec4 %v2D %p
%eq0 = OpFOrdEqual %bvec4 %r0d %r0c
%same0 = OpAll %bool %eq0
%ne0 = OpFOrdNotEqual %bvec4 %r0d %r0n
%moved0 = OpAny %bool %ne0
%r1d = OpImageSampleImplicitLod %vec4 %v2D %p Bias|Offset %bias %d2D
%r1c = OpImageSampleImplicitLod %vec4 %v2D %p Bias|ConstOffset %bias %c2D
%r1n = OpImageSampleImplicitLod %vec4 %v2D %p Bias %bias
%eq1 = OpFOrdEqual %bvec4 %r1d %r1c
%same1 = OpAll %bool %eq1
%ne1 = OpFOrdNotEqual %bvec4 %r1d %r1n
%moved1 = OpAny %bool %ne1
%r2d = OpImageSampleExplicitLod %vec4 %v2D %p Lod|Offset %lod %d2D
%r2c = OpImageSampleExplicitLod %vec4 %v2D %p Lod|ConstOffset %lod %c2D
%r2n = OpImageSampleExplicitLod %vec4 %v2D %p Lod %lod
%eq2 = OpFOrdEqual %bvec4 %r2d %r2c
%same2 = OpAll %bool %eq2
%ne2 = OpFOrdNotEqual %bvec4 %r2d %r2n
%moved2 = OpAny %bool %ne2
%r3d = OpImageSampleExplicitLod %vec4 %v2D %p Grad|Offset %vnear %vnear_y %d2D
%r3c = OpImageSampleExplicitLod %vec4 %v2D %p Grad|ConstOffset %vnear %vnear_y %c2D
%r3n = OpImageSampleExplicitLod %vec4 %v2D %p Grad %vnear %vnear_y
%eq3 = OpFOrdEqual %bvec4 %r3d %r3c
%same3 = OpAll %bool %eq3
%ne3 = OpFOrdNotEqual %bvec4 %r3d %r3n
%moved3 = OpAny %bool %ne3
%r4d = OpImageSampleProjImplicitLod %vec4 %v2D %pproj Offset %d2D
%r4c = OpImageSampleProjImplicitLod %vec4 %v2D %pproj ConstOffset %c2D
%r4n = OpImageSampleProjImplicitLod %vec4 %v2D %pproj
%eq4 = OpFOrdEqual %bvec4 %r4d %r4c
%same4 = OpAll %bool %eq4
%ne4 = OpFOrdNotEqual %bvec4 %r4d %r4n
%moved4 = OpAny %bool %ne4
%r5d = OpImageFetch %vec4 %image %texel Lod|Offset %n1 %d2D
%r5c = OpImageFetch %vec4 %image %texel Lod|ConstOffset %n1 %c2D
%r5n = OpImageFetch %vec4 %image %texel Lod %n1
%eq5 = OpFOrdEqual %bvec4 %r5d %r5c
%same5 = OpAll %bool %eq5
%ne5 = OpFOrdNotEqual %bvec4 %r5d %r5n
%moved5 = OpAny %bool %ne5
%all0 = OpLogicalAnd %bool %same0 %same1
%all1 = OpLogicalAnd %bool %all0 %same2
%all2 = OpLogicalAnd %bool %all1 %same3
%all3 = OpLogicalAnd %bool %all2 %same4
%all4 = OpLogicalAnd %bool %all3 %same5
%g = OpSelect %float %all4 %one %zero
%any0 = OpLogicalAnd %bool %moved0 %moved1
%any1 = OpLogicalAnd %bool %any0 %moved2
%any2 = OpLogicalAnd %bool %any1 %moved3
%any3 = OpLogicalAnd %bool %any2 %moved4
%any4 = OpLogicalAnd %bool %any3 %moved5
%b = OpSelect %float %any4 %one %zero
%rgba = OpCompositeConstruct %vec4 %zero %g %b %one
OpStore %color %rgba
OpReturn
OpFunctionEnd
