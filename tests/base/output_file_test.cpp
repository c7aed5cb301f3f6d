// Output files: what is refused before the work, what is replaced and what is written through, and that every failure
// and every loss of power leaves the old content or the new one.
#include "kirchhoff/output_file.hpp"
#include "base/file_calls.hpp"
#include "base/file_lock.hpp"

#include <gtest/gtest.h>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <thread>

namespace kirchhoff {
namespace {

namespace fs = std::filesystem;

class OutputFileTest : public testing::Test {
 protected:
  OutputFileTest() {
    std::string name = testing::TempDir() + "/output_XXXXXX";
    folder = mkdtemp(name.data());
  }
  ~OutputFileTest() override { fs::remove_all(folder); }

  std::string at(const std::string& name) const { return folder + "/" + name; }
  std::string put(const std::string& name, const std::string& content) const {
    std::ofstream(at(name)) << content;
    return at(name);
  }
  static std::string content(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
  }

  std::string folder;
};

TEST_F(OutputFileTest, IsWrittenAndReplaced) {
  const OutputFile file(at("a"));
  EXPECT_EQ(files(), 0u);  // Nothing happens before write().
  file.write("one");
  EXPECT_EQ(content(at("a")), "one");
  file.write("");
  EXPECT_EQ(content(at("a")), "");
  const std::string large(3 << 20, 'x');
  file.write(large);
  EXPECT_EQ(content(at("a")), large);
  EXPECT_EQ(files(), 1u);
}

TEST_F(OutputFileTest, RefusesWhatCannotBeWritten) {
  put("file", "old");
  for (const std::string& path :
       {std::string(), folder, at("no/file"), at("file/below"), at("new/"), at(std::string(300, 'x'))}) {
    EXPECT_THROW(OutputFile{path}, FileError) << path;
  }
  fs::create_symlink("loop", at("loop"));
  EXPECT_THROW(OutputFile{at("loop")}, FileError);
  EXPECT_EQ(content(at("file")), "old");
  if (getuid() == 0) return;  // Root may write anywhere.
  fs::permissions(at("file"), fs::perms::owner_read);
  EXPECT_THROW(OutputFile{at("file")}, FileError);
  fs::permissions(folder, fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_THROW(OutputFile{at("new")}, FileError);
  fs::permissions(folder, fs::perms::owner_all);
}

TEST_F(OutputFileTest, FollowsLinksAndKeepsTheMode) {
  fs::create_directory(at("far"));
  put("far/target", "old");
  fs::permissions(at("far/target"), fs::perms(0640));
  fs::create_symlink("far/target", at("first"));
  fs::create_symlink("first", at("second"));
  fs::create_symlink("far/new", at("dangling"));
  OutputFile(at("second")).write("new");
  EXPECT_TRUE(fs::is_symlink(at("second")) && fs::is_symlink(at("first")));
  EXPECT_EQ(content(at("far/target")), "new");
  EXPECT_EQ(fs::status(at("far/target")).permissions(), fs::perms(0640));
  OutputFile(at("dangling")).write("made");
  EXPECT_TRUE(fs::is_symlink(at("dangling")));
  EXPECT_EQ(content(at("far/new")), "made");
  const mode_t mask = umask(027);
  OutputFile(at("masked")).write("");
  umask(mask);
  EXPECT_EQ(fs::status(at("masked")).permissions(), fs::perms(0640));
}

TEST_F(OutputFileTest, WritesThroughDevicesAndPipes) {
  const OutputFile null("/dev/null");
  EXPECT_TRUE(null.is_special());
  null.write("gone");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  ASSERT_EQ(mkfifo(at("pipe").c_str(), 0600), 0);
  std::string read;
  std::thread reader([&] { read = content(at("pipe")); });
  OutputFile(at("pipe")).write("through");
  reader.join();
  EXPECT_EQ(read, "through");
  EXPECT_TRUE(fs::is_fifo(at("pipe")));
  fs::create_symlink("/dev/null", at("link"));
  EXPECT_TRUE(OutputFile(at("link")).is_special());
}

TEST_F(OutputFileTest, KnowsTheSameFileByOtherNames) {
  put("a", "");
  put("b", "");
  fs::create_symlink("a", at("link"));
  fs::create_hard_link(at("a"), at("hard"));
  fs::create_directory(at("sub"));
  for (const char* name : {"a", "link", "hard", "sub/../a"}) EXPECT_TRUE(OutputFile(at("a")).is_same_as(at(name)));
  EXPECT_TRUE(OutputFile(at("link")).is_same_as(at("a")));
  for (const char* name : {"b", "none", "no/such"}) EXPECT_FALSE(OutputFile(at("a")).is_same_as(at(name)));
  EXPECT_TRUE(OutputFile(at("new")).is_same_as(at("sub/../new")));
  EXPECT_FALSE(OutputFile(at("new")).is_same_as(at("sub/new")));
  EXPECT_FALSE(OutputFile("/dev/null").is_same_as("/dev/null"));
}

class OutputFaults : public OutputFileTest, public testing::WithParamInterface<bool> {
 protected:
  OutputFaults() { reset(); }
  ~OutputFaults() override { file_calls = {}; }
  void reset() {
    file_calls = {};
    file_calls.nameless = GetParam();
  }
};
INSTANTIATE_TEST_SUITE_P(NamelessOrNot, OutputFaults, testing::Bool());

TEST_P(OutputFaults, LeaveTheOldContentOrTheNew) {
  put("a", "the old content");
  for (const int error : {EIO, ENOSPC, EINTR, EMFILE}) {
    bool more = true;
    for (int call = 0; more; ++call) {
      OutputFile(at("a")).write("the old content");
      reset();
      file_calls.failing = call;
      file_calls.error = error;
      bool written = true;
      try {
        OutputFile(at("a")).write("the new content");
      } catch (const FileError& e) {
        written = false;
        EXPECT_TRUE(std::string(e.what()).starts_with(at("a") + ": cannot be written: ")) << e.what();
      }
      more = file_calls.count > call;
      reset();
      const std::string now = content(at("a"));
      EXPECT_TRUE(now == "the new content" || (!written && now == "the old content")) << now << " at call " << call;
      EXPECT_EQ(files(), 1u) << "call " << call;
      ASSERT_LT(call, 30);
    }
  }
}

TEST_P(OutputFaults, LossOfPowerLeavesTheOldContentOrTheNew) {
  const std::set<std::string> either = {"the old content", "the new content"};
  put("a", "the old content");
  OutputFile(at("a")).write("the new content");
  const std::size_t events = file_calls.events.size();
  ASSERT_GE(events, 5u);  // Otherwise the calls do not come here.
  std::set<std::string> seen;
  for (std::size_t k = 0; k <= events; ++k) {
    for (const std::string& content : contents_after_power_loss(k, at("a"), "the old content")) {
      EXPECT_TRUE(either.contains(content)) << "'" << content << "' after " << k << " of " << events;
      seen.insert(content);
    }
  }
  EXPECT_EQ(seen, either);
  EXPECT_EQ(contents_after_power_loss(events, at("a"), "the old content"), std::set<std::string>{"the new content"});
}

TEST_P(OutputFaults, TheSimulatedDiskForgetsWhatIsNotSynced) {
  // The simulation must be able to fail: without the fsync of the content there is a prefix that leaves half of it.
  put("a", "the old content");
  OutputFile(at("a")).write("the new content");
  std::erase_if(file_calls.events, [](const DiskEvent& e) { return e.kind == DiskEvent::Kind::sync; });
  EXPECT_GT(contents_after_power_loss(file_calls.events.size(), at("a"), "the old content").size(), 1u);
}

TEST_F(OutputFileTest, ManyWritersNeverShowHalfAFile) {
  const std::string a(200'000, 'a'), b(300'000, 'b');
  OutputFile(at("file")).write(a);
  std::vector<pid_t> writers;
  for (const std::string& text : {a, b}) {
    const pid_t child = fork();
    if (child == 0) {
      for (int i = 0; i < 50; ++i) OutputFile(at("file")).write(text);
      _exit(0);
    }
    writers.push_back(child);
  }
  int reads = 0;
  for (const pid_t writer : writers) {
    int status = 0;
    while (waitpid(writer, &status, WNOHANG) == 0) {
      const std::string now = content(at("file"));
      ASSERT_TRUE(now == a || now == b) << now.size();
      ++reads;
    }
    EXPECT_EQ(status, 0);
  }
  EXPECT_GT(reads, 0);
  EXPECT_EQ(files(), 1u);
}

TEST_F(OutputFileTest, ALockKeepsOthersAwayAndEndsWithItsProcess) {
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    const base::FileLock lock(at("model"), "another training writes");
    if (write(ready[1], "x", 1) == 1) pause();
    _exit(1);
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  try {
    const base::FileLock lock(at("model"), "another training writes");
    FAIL();
  } catch (const FileError& e) {
    EXPECT_EQ(std::string(e.what()), "another training writes " + at("model") + " (it holds " + at("model") + ".lock)");
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(fs::exists(at("model.lock")));
  { const base::FileLock lock(at("model"), "another training writes"); }  // A lock file without a holder.
  EXPECT_EQ(files(), 0u);
  close(ready[0]);
  close(ready[1]);
}

}  // namespace
}  // namespace kirchhoff
