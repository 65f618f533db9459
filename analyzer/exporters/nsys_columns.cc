// SPDX-License-Identifier: Apache-2.0
#include "analyzer/exporters/nsys_columns.h"

#include <cstdint>
#include <span>

#include "absl/strings/str_cat.h"
#include "analyzer/model/nsys_schema.h"

namespace dltap::analyzer {
namespace {

enum class ColumnKind : uint8_t { kNumber, kNeeded, kKey, kText, kNeededText };

struct NsysColumn {
  std::string_view name;
  ColumnKind type;
};

using enum ColumnKind;

constexpr NsysColumn kApiColumns[] = {
    {nsys::kStart, kNeeded},         {nsys::kEnd, kNeeded},
    {nsys::kEventClass, kNeeded},    {nsys::kGlobalTid, kNumber},
    {nsys::kCorrelationId, kNumber}, {nsys::kNameId, kNeeded},
    {nsys::kReturnValue, kNeeded},   {nsys::kCallchainId, kNumber}};
constexpr NsysColumn kStringColumns[] = {{nsys::kId, kKey},
                                         {nsys::kValue, kNeededText}};
constexpr NsysColumn kMetaDataColumns[] = {{nsys::kName, kNeededText},
                                           {nsys::kValue, kText}};
constexpr NsysColumn kStartTimeColumns[] = {{nsys::kUtcEpochNs, kNumber},
                                            {nsys::kUtcTime, kText},
                                            {nsys::kLocalTime, kText}};
constexpr NsysColumn kSystemColumns[] = {{nsys::kGlobalVid, kNumber},
                                         {nsys::kDevStateName, kNeededText},
                                         {nsys::kName, kNeededText},
                                         {nsys::kNameEnum, kNeeded},
                                         {nsys::kValue, kNeededText}};
constexpr NsysColumn kGpuColumns[] = {
    {nsys::kId, kNeeded},          {nsys::kName, kText},
    {nsys::kUuid, kText},          {nsys::kSmCount, kNumber},
    {nsys::kTotalMemory, kNumber}, {nsys::kComputeMajor, kNumber},
    {nsys::kComputeMinor, kNumber}};
constexpr NsysColumn kDeviceColumns[] = {{nsys::kGpuId, kNumber},
                                         {nsys::kCudaId, kNumber},
                                         {nsys::kPid, kNumber},
                                         {nsys::kUuid, kText}};
constexpr NsysColumn kProcessColumns[] = {
    {nsys::kGlobalPid, kNumber}, {nsys::kPid, kNumber}, {nsys::kName, kText}};
constexpr NsysColumn kRankColumns[] = {{nsys::kGlobalTid, kNeeded},
                                       {nsys::kRank, kNeeded}};
constexpr NsysColumn kThreadColumns[] = {{nsys::kNameId, kNeeded},
                                         {nsys::kPriority, kNumber},
                                         {nsys::kGlobalTid, kNumber}};
constexpr NsysColumn kKernelColumns[] = {{nsys::kStart, kNeeded},
                                         {nsys::kEnd, kNeeded},
                                         {nsys::kDeviceId, kNeeded},
                                         {nsys::kContextId, kNeeded},
                                         {nsys::kGreenContextId, kNumber},
                                         {nsys::kStreamId, kNeeded},
                                         {nsys::kCorrelationId, kNumber},
                                         {nsys::kGlobalPid, kNumber},
                                         {nsys::kDemangledName, kNeeded},
                                         {nsys::kShortName, kNeeded},
                                         {nsys::kMangledName, kNumber},
                                         {nsys::kLaunchType, kNumber},
                                         {nsys::kRegistersPerThread, kNeeded},
                                         {nsys::kGridX, kNeeded},
                                         {nsys::kGridY, kNeeded},
                                         {nsys::kGridZ, kNeeded},
                                         {nsys::kBlockX, kNeeded},
                                         {nsys::kBlockY, kNeeded},
                                         {nsys::kBlockZ, kNeeded},
                                         {nsys::kStaticSharedMemory, kNeeded},
                                         {nsys::kDynamicSharedMemory, kNeeded},
                                         {nsys::kGraphNodeId, kNumber},
                                         {nsys::kGraphId, kNumber}};
constexpr NsysColumn kMemcpyColumns[] = {
    {nsys::kStart, kNeeded},     {nsys::kEnd, kNeeded},
    {nsys::kDeviceId, kNeeded},  {nsys::kContextId, kNeeded},
    {nsys::kStreamId, kNeeded},  {nsys::kCorrelationId, kNumber},
    {nsys::kGlobalPid, kNumber}, {nsys::kBytes, kNeeded},
    {nsys::kCopyKind, kNeeded},  {nsys::kSrcKind, kNumber},
    {nsys::kDstKind, kNumber},   {nsys::kGraphNodeId, kNumber}};
constexpr NsysColumn kMemsetColumns[] = {
    {nsys::kStart, kNeeded},      {nsys::kEnd, kNeeded},
    {nsys::kDeviceId, kNeeded},   {nsys::kContextId, kNeeded},
    {nsys::kStreamId, kNeeded},   {nsys::kCorrelationId, kNumber},
    {nsys::kGlobalPid, kNumber},  {nsys::kValue, kNeeded},
    {nsys::kBytes, kNeeded},      {nsys::kMemKind, kNumber},
    {nsys::kGraphNodeId, kNumber}};
constexpr NsysColumn kSyncColumns[] = {
    {nsys::kStart, kNeeded},     {nsys::kEnd, kNeeded},
    {nsys::kDeviceId, kNeeded},  {nsys::kContextId, kNeeded},
    {nsys::kStreamId, kNeeded},  {nsys::kCorrelationId, kNumber},
    {nsys::kGlobalPid, kNumber}, {nsys::kSyncType, kNeeded},
    {nsys::kEventId, kNeeded}};
constexpr NsysColumn kRangeColumns[] = {
    {nsys::kStart, kNeeded},     {nsys::kEnd, kNumber},
    {nsys::kEventType, kNeeded}, {nsys::kText, kText},
    {nsys::kGlobalTid, kNumber}, {nsys::kTextId, kNumber},
    {nsys::kDomainId, kNumber}};

struct TableColumns {
  std::string_view name;
  std::span<const NsysColumn> columns;
};

constexpr TableColumns kTables[] = {{nsys::kStringTable, kStringColumns},
                                    {nsys::kExportTable, kMetaDataColumns},
                                    {nsys::kCaptureTable, kMetaDataColumns},
                                    {nsys::kStartTimeTable, kStartTimeColumns},
                                    {nsys::kSystemTable, kSystemColumns},
                                    {nsys::kGpuTable, kGpuColumns},
                                    {nsys::kDeviceTable, kDeviceColumns},
                                    {nsys::kProcessTable, kProcessColumns},
                                    {nsys::kRankTable, kRankColumns},
                                    {nsys::kThreadTable, kThreadColumns},
                                    {nsys::kKernelTable, kKernelColumns},
                                    {nsys::kMemcpyTable, kMemcpyColumns},
                                    {nsys::kMemsetTable, kMemsetColumns},
                                    {nsys::kSyncTable, kSyncColumns},
                                    {nsys::kRuntimeTable, kApiColumns},
                                    {nsys::kDriverTable, kApiColumns},
                                    {nsys::kCudnnTable, kApiColumns},
                                    {nsys::kCublasTable, kApiColumns},
                                    {nsys::kRangeTable, kRangeColumns}};

std::string_view Text(ColumnKind type) {
  switch (type) {
    case kNumber: return "INTEGER";
    case kNeeded: return "INTEGER NOT NULL";
    case kKey: return "INTEGER NOT NULL PRIMARY KEY";
    case kText: return "TEXT";
    case kNeededText: break;
  }
  return "TEXT NOT NULL";
}

std::string TextOf(std::span<const NsysColumn> columns) {
  std::string text;
  for (const NsysColumn& column : columns) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", std::string(column.name),
                    " ", std::string(Text(column.type)));
  }
  return text;
}

}  // namespace

std::vector<NsysTable> NsysTables() {
  std::vector<NsysTable> tables;
  for (const TableColumns& table : kTables) {
    tables.push_back({table.name, TextOf(table.columns)});
  }
  return tables;
}

}  // namespace dltap::analyzer
