package dev.heddle.collectives.msccl;

import dev.heddle.collective.Collective;
import dev.heddle.collective.CollectiveOp;
import dev.heddle.collectives.msccl.MscclAlgorithmProvider.Settings;
import dev.heddle.spi.CollectiveAlgorithm;
import dev.heddle.spi.Provider;
import dev.heddle.testkit.contract.CollectiveContract;
import dev.heddle.testkit.fixture.TextbookAlgorithms;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

class MscclAlgorithmTest extends CollectiveContract<Settings> {
  @TempDir
  private Path folder;
  private Path file;

  @BeforeEach
  void writeRing() throws IOException {
    Collective collective = Collective.of(CollectiveOp.ALL_REDUCE, 8, 1000);
    String text = MscclWriter.write(TextbookAlgorithms.request(collective).schedule(TextbookAlgorithms.ring(2)));
    file = Files.writeString(folder.resolve("ring.xml"), text);
  }

  @Override
  protected Provider<Settings, CollectiveAlgorithm> provider() {
    return new MscclAlgorithmProvider();
  }

  @Override
  protected List<Settings> settings() {
    return List.of(Settings.of(file));
  }

  @Override
  protected List<Settings> refusedSettings() {
    return List.of(Settings.of(folder.resolve("none.xml")));
  }

  @Override
  protected boolean serves(CollectiveOp op, int ranks) {
    return op == CollectiveOp.ALL_REDUCE && ranks == 8;
  }
}
